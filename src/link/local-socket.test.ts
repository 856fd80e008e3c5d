import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { until } from "../../test/support/processes.ts";
import { ZaguanError } from "../errors.ts";
import { sayEnding } from "./ending.ts";
import type { Link } from "./link.ts";
import { openLocalSocket } from "./local-socket.ts";

describe("a link to a local socket", { skip: process.platform === "win32" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "local-"));
  const path = join(folder, "s.sock");
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    accepted.push(socket);
  });
  before(() => new Promise<void>((resolve) => server.listen(path, resolve)));
  after(() => {
    for (const socket of accepted) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it("carries lines both ways, and tells of one that is too long", async () => {
    const { link, far, seen, noise } = await opened();
    far.write(`{"a":1}\r\n{"b":`);
    far.write(`2}\n${"x".repeat(2000)}\nlast\n`);
    await until("three lines", () => seen.length === 3);
    assert.deepEqual(seen, ['{"a":1}', '{"b":2}', "last"]);
    assert.equal(noise.length, 1);
    const received: Buffer[] = [];
    far.on("data", (chunk: Buffer) => received.push(chunk));
    await link.send("客厅");
    await until("it came", () => Buffer.concat(received).toString() === "客厅\n");
    await link.close();
    assert.equal(sayEnding(await link.closed), "closed");
  });

  it("tells when the other side has left, and refuses what is sent then", async () => {
    const { link, far } = await opened();
    far.end();
    assert.equal(sayEnding(await link.closed), "closed by the other side");
    await assert.rejects(link.send("x"), (error: ZaguanError) => error.delivery === "not_sent");
  });

  it("cannot be opened where nobody listens", async () => {
    const options = { path: join(folder, "none.sock"), lineBytes: 1000, name: "player" };
    const error = await openLocalSocket(options, { onMessage: () => {} }).catch((cause: unknown) => cause);
    assert.ok(error instanceof ZaguanError && error.code === "SOURCE_UNAVAILABLE");
    assert.deepEqual(error.details.params, { source: "player", reason: "its socket cannot be opened (ENOENT)" });
  });

  async function opened(): Promise<{ link: Link; far: Socket; seen: string[]; noise: string[] }> {
    const [seen, noise, before]: [string[], string[], number] = [[], [], accepted.length];
    const handlers = {
      onMessage: (line: string) => void seen.push(line),
      onNoise: (line: string) => void noise.push(line),
    };
    const link = await openLocalSocket({ path, lineBytes: 1000, name: "player" }, handlers);
    await until("it is accepted", () => accepted.length > before);
    return { link, far: accepted.at(-1) as Socket, seen, noise };
  }
});
