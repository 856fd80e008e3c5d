/**
 * The official TypeScript clients behind a proxy that cuts connections: a call goes on, nothing is heard twice or never,
 * and what was said while nobody could be reached comes later.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/processes.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { connectV1, connectV2 } from "./support/official-clients.ts";
import { everything, filesystem } from "./support/official-servers.ts";

const LONG = "trigger-long-running-operation";
const TOO_LATE = 1504;
const LAST_EVENT_ID = /^last-event-id: (\S+)/gim;

/** Passes bytes on both ways, until it is told to cut. */
class CuttingProxy {
  /** Where to; undefined holds those who come until there is somewhere. */
  target: number | undefined;
  /** The ids that clients came back with. */
  readonly resumedAt: string[] = [];
  readonly #server: Server = createServer((socket) => this.#take(socket));
  readonly #sockets = new Set<Socket>();
  readonly #held: Socket[] = [];
  #streams = 0;

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many event streams have begun. */
  get streams(): number {
    return this.#streams;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Cuts, and lets nobody through until the returned function is called. */
  block(): () => void {
    const { target } = this;
    this.target = undefined;
    this.cut();
    return () => {
      this.target = target;
      for (const socket of this.#held.splice(0)) this.#pass(socket);
    };
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, "close");
  }

  #take(socket: Socket): void {
    this.#keep(socket);
    if (this.target === undefined) this.#held.push(socket);
    else this.#pass(socket);
  }

  #pass(socket: Socket): void {
    const hub = this.#keep(connect(this.target ?? 0, "127.0.0.1"));
    socket.on("data", (bytes) => {
      for (const [, id = ""] of bytes.toString("latin1").matchAll(LAST_EVENT_ID)) this.resumedAt.push(id);
    });
    hub.on("data", (bytes) => {
      if (/^content-type: text\/event-stream/im.test(bytes.toString("latin1"))) this.#streams++;
    });
    socket.pipe(hub).pipe(socket);
    socket.on("close", () => hub.destroy());
    hub.on("close", () => socket.destroy());
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
  }
}

/** The code of the error with which a call ends, if it does. */
function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    ({ code }) => code,
  );
}

for (const [name, connectPeer, comesBackAfterErrors] of [
  ["v1", connectV1, true],
  ["v2", connectV2, false],
] as const) {
  describe(`TypeScript client ${name} behind a proxy that cuts connections`, () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-cut-"));
    const proxy = new CuttingProxy();
    let hub: SpawnedZaguan;
    let address: string;
    const configWith = (port: number, more: object = {}) => ({
      auth: { allowedHosts: [`127.0.0.1:${port}`] },
      mcpServers: { everything: everything(), ...more },
    });
    let port: number;
    before(async () => {
      port = await proxy.listen();
      address = `http://127.0.0.1:${port}/mcp`;
      hub = await spawnZaguan({ config: configWith(port) });
      proxy.target = Number(new URL(hub.url).port);
    });
    after(async () => {
      await proxy.close();
      await hub.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test("a call that is cut twice reports every step once, and has its answer", async () => {
      const client = await connectPeer(address);
      const seen: unknown[] = [];
      const onprogress = (progress: unknown): void => {
        seen.push(progress);
        if (seen.length === 2 || seen.length === 6) proxy.cut();
      };
      const result = await client.call(LONG, { duration: 6, steps: 10 }, { onprogress });
      assert.match(result.content[0]?.text ?? "", /completed/);
      const steps = Array.from({ length: 10 }, (_, index) => ({ progress: index + 1, total: 10 }));
      assert.deepEqual(seen, steps);
      await client.close();
    });

    test("a call that says nothing on the way can be cut too", async () => {
      const before = proxy.streams;
      const client = await connectPeer(address);
      await until("it listens", () => proxy.streams === before + 1);
      const asked = client.call(LONG, { duration: 3, steps: 1 });
      await until("the answer has become a stream", () => proxy.streams === before + 2);
      // A client that has not read the first event yet, which names the stream, could not take it up again.
      await sleep(500);
      proxy.cut();
      assert.match((await asked).content[0]?.text ?? "", /completed/);
      await client.close();
    });

    test("an answer that came while nobody could be reached is there later", async () => {
      const [client, direct] = [await connectPeer(address), await connectPeer(`${hub.url}/mcp`)];
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const asked = client.call(LONG, { duration: 1, steps: 4 }, { onprogress: () => begin() });
      await begun;
      const open = proxy.block();
      await direct.call(LONG, { duration: 2, steps: 1 });
      open();
      assert.match((await asked).content[0]?.text ?? "", /completed/);
      await client.close();
      await direct.close();
    });

    test("what was said unasked while nobody could be reached is heard later", async () => {
      const heard: string[] = [];
      const heardDirectly: string[] = [];
      const before = proxy.streams;
      const client = await connectPeer(address, { onToolsChanged: (names) => void heard.push(...names) });
      const toldDirectly = (names: string[]): void => void heardDirectly.push(...names);
      const direct = await connectPeer(`${hub.url}/mcp`, { onToolsChanged: toldDirectly });
      await until("it listens", () => proxy.streams === before + 1);
      const cameBack = proxy.resumedAt.length;
      const open = proxy.block();
      hub.writeConfig(configWith(port, { added: filesystem(folder) }));
      await until("the new tools are announced", () => heardDirectly.includes("read_text_file"));
      open();
      await until("the other hears of them", () => heard.includes("read_text_file"));
      assert.ok(proxy.resumedAt.length > cameBack);
      await client.close();
      await direct.close();
    });

    test("a stream that ended with an error leaves the client in peace, though it may ask for more", async () => {
      hub.writeConfig({ ...configWith(port), limits: { callSeconds: 1.5 } });
      const client = await connectPeer(address);
      const errors: Error[] = [];
      Object.assign(client.raw, { onerror: (error: Error) => errors.push(error) });
      const cameBack = proxy.resumedAt.length;
      // Until the hub has read its new limit, calls succeed.
      while ((await failureOf(client.call(LONG, { duration: 3, steps: 1 }))) !== TOO_LATE);
      if (comesBackAfterErrors) await until("it asks", () => proxy.resumedAt.length > cameBack);
      await client.raw.ping();
      assert.deepEqual(errors, []);
      await client.close();
    });
  });
}
