/**
 * Children get no descriptor that is not theirs. The hub is started with descriptors open as a careless shell or service
 * manager leaves them, a listening socket among them; then it and every process below it are looked at in /proc.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, openSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { inheritableFiles } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { untilListed } from "../support/seed-002.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const SERVER = fileURLToPath(new URL("../support/ledger-server.mjs", import.meta.url));
/** Node itself keeps those below 16 from its children, and of the others those before the first gap. */
const NUMBERS = [3, 9, 20, 50];
const SOCKET = 60;

describe("descriptors that the hub was started with", { skip: process.platform !== "linux" && "no /proc" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-descriptors-"));
  const secret = join(folder, "secret");
  let listener: Server;
  let hub: SpawnedZaguan;
  before(async () => {
    listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const files = NUMBERS.map((number) => [number, openSync(secret, "a")]);
    const descriptors = Object.fromEntries([...files, [SOCKET, descriptorOf(listener)]]);
    const mcpServers = { ledger: { command: process.execPath, args: [SERVER, "/dev/null"] } };
    hub = await spawnZaguan({ folder, config: { mcpServers }, descriptors });
    await untilListed(new RegistryClient(hub.url), "incr");
  });
  after(async () => {
    await hub?.stop();
    listener?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("reach none of its children: neither servers nor its helper", () => {
    const children = hub.descendants();
    assert.ok(children.length >= 2, "a server and the undertaker run");
    const socket = readlinkSync(`/proc/self/fd/${descriptorOf(listener)}`);
    for (const child of children) {
      const leaked = openIn(child).filter(([, target]) => target === secret || target === socket);
      assert.deepEqual(leaked, [], `child ${child}`);
    }
  });

  it("would reach no other child, however it is started", () => {
    assert.deepEqual(
      inheritableFiles(hub.pid).filter((number) => Number(number) > 2),
      [],
    );
  });
});

function openIn(pid: number): (readonly [descriptor: string, target: string])[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((descriptor) => [descriptor, readlinkSync(join(folder, descriptor))]);
}

/** Node has no other word for it. */
function descriptorOf(server: Server): number {
  return (server as unknown as { _handle: { fd: number } })._handle.fd;
}
