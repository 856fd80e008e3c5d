/** What stands at an address that should be NATS. */
import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, it } from "node:test";
import { openFiles, until } from "../../test/support/processes.ts";
import { BusError } from "./bus-error.ts";
import { probeNats } from "./probe.ts";

const NEVER = new AbortController().signal;

/** Runs with something at an address that does this with each connection. */
async function withServer(behave: (socket: Socket) => void, run: (address: string) => Promise<void>): Promise<void> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await run(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

async function failure(address: string, timeoutMs = 10_000, signal = NEVER): Promise<string> {
  const error = await probeNats(address, timeoutMs, signal).catch((cause: unknown) => cause);
  assert.ok(error instanceof BusError, String(error));
  assert.doesNotMatch(error.message, /\n/);
  return error.kind;
}

describe("at an address that should be NATS", () => {
  it("NATS is known by its first line", () =>
    withServer(
      (socket) => socket.write("INFO {}\r\n"),
      async (address) => {
        await probeNats(address, 10_000, NEVER);
      },
    ));

  it("nothing, or no such host, is told", async () => {
    assert.equal(await failure("127.0.0.1:1"), "unreachable");
    assert.equal(await failure("nowhere.invalid:4222"), "unreachable");
  });

  const others: readonly (readonly [string, (socket: Socket) => void])[] = [
    ["another protocol", (socket) => socket.write("SSH-2.0-OpenSSH_9.2\r\n")],
    ["somebody who hangs up", (socket) => socket.end()],
  ];
  for (const [what, behave] of others) {
    it(`${what} is told`, () =>
      withServer(behave, async (address) => assert.equal(await failure(address), "not-nats")));
  }

  it("somebody who says nothing is told after a while, or when nobody wants to know any more", () =>
    withServer(
      () => {},
      async (address) => {
        const before = openFiles();
        assert.equal(await failure(address, 50), "not-nats");
        assert.equal(await failure(address, 60_000, AbortSignal.timeout(50)), "not-nats");
        // Those of the server itself are its own affair.
        await until("no socket is left behind", () => openFiles() <= before + 2);
      },
    ));
});
