/** The bus against something at its address that behaves as told; the real NATS is in test/cluster. */
import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, it } from "node:test";
import { until } from "../../test/support/processes.ts";
import type { Bus } from "./bus.ts";
import { BusError } from "./bus-error.ts";
import { parseSecrets } from "./cluster-secret.ts";
import { openBus } from "./nats-bus.ts";

const SECRETS = parseSecrets("Zq3vT8mK1xR6wB9nD4sF7hJ2pL5cY0gA", "the test");
const INFO = { server_id: "x", version: "2.15.1", proto: 1, headers: true, max_payload: 1_048_576 };

/** Greets as NATS does and answers pings; `behave` is told each line, and says true if it has dealt with it. */
async function pretend(behave: (line: string, socket: Socket) => boolean, info: object = INFO) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.setEncoding("latin1").on("data", (text: string) => {
      for (const line of text.split("\r\n")) if (!behave(line, socket) && line === "PING") socket.write("PONG\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

function open(servers: string): Promise<Bus> {
  return openBus({ node: "a", nats: { servers }, secrets: SECRETS });
}

describe("a NATS", () => {
  it("that leaves when we begin to listen is told, and not waited for", async () => {
    const { url, stop } = await pretend((line, socket) => line.startsWith("SUB") && Boolean(socket.destroy()));
    const error = await open(url).catch((cause: unknown) => cause);
    stop();
    assert.ok(error instanceof BusError && error.kind === "unreachable", String(error));
  });

  it("that takes only tiny messages is refused", async () => {
    const { url, stop } = await pretend(() => false, { ...INFO, max_payload: 1_000 });
    const error = await open(url).catch((cause: unknown) => cause);
    stop();
    assert.ok(error instanceof BusError && error.kind === "limits", String(error));
  });

  it("that says why it closes the connection is quoted, and tried again", async () => {
    const { url, stop } = await pretend((line, socket) => {
      if (line.startsWith("PUB")) socket.end("-ERR 'Slow Consumer'\r\n");
      return false;
    });
    const bus = await open(url);
    bus.cast("hello");
    await until("it is away", () => bus.state().link === "away");
    assert.equal(bus.state().reason, "NATS closed the connection: Slow Consumer");
    await until("it is back", () => bus.state().link === "connected");
    await bus.close();
    stop();
  });
});
