/** A hub with a source of every kind, boxes that have dialled in, and what a soak needs to trouble each of them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Box } from "../boxes/box.ts";
import { LineChild } from "../line-child.ts";
import { RegistryClient } from "../registry-client.ts";
import { RpcOverHttp } from "../rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../spawn-zaguan.ts";
import { evilServer, ledgerIn, ledgerServer } from "../stub-servers.ts";
import type { Street } from "./callers.ts";
import { INSPECTED } from "./held.ts";

const SERVERS = fileURLToPath(new URL("../overload/servers.mjs", import.meta.url));
const LINE_HOME = fileURLToPath(new URL("../line-home.mjs", import.meta.url));
/** What lies between one and the next reading of what clients left behind without a word. */
const IDLE_SECONDS = 60;
const CONNECTIONS = 64;

export class World implements Street {
  readonly headers = {};
  readonly hub: SpawnedZaguan;
  http: RpcOverHttp;
  readonly registry: RegistryClient;
  readonly stdio: LineChild;
  readonly remoteOrigin: string;
  readonly #config: object;
  readonly #remote: ChildProcess;
  readonly #folder: string;
  readonly #boxes: Box[] = [];

  static async open(): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-soak-"));
    const remote = spawn(process.execPath, [SERVERS, "2"], { stdio: ["ignore", "pipe", "inherit"] });
    process.once("exit", () => remote.kill());
    const [said] = (await once(remote.stdout, "data")) as [Buffer];
    const origin = `http://127.0.0.1:${said.toString().trim()}`;
    const config = {
      mcpServers: {
        ledger: ledgerServer(ledgerIn(folder)),
        remote: { url: `${origin}/s0/mcp`, zaguan: { allowPrivate: true } },
        line: { type: "line", command: process.execPath, args: [LINE_HOME] },
        flooding: evilServer("flood-of-garbage"),
      },
      limits: { sessionIdleSeconds: IDLE_SECONDS },
      log: { level: "error" },
    };
    const hub = await spawnZaguan({ config, env: INSPECTED });
    const world = new World(folder, remote, origin, config, hub);
    await world.http.rpc({ id: 1, method: "tools/list" });
    // It ends of its flood, so that it is not there at the beginning either.
    await world.http.call("flooding__act");
    await world.registry.agent("ana", "house__get_presence", "house__set_light_state");
    return world;
  }

  private constructor(folder: string, remote: ChildProcess, origin: string, config: object, hub: SpawnedZaguan) {
    this.#folder = folder;
    this.#remote = remote;
    this.#config = config;
    this.remoteOrigin = origin;
    this.hub = hub;
    this.http = new RpcOverHttp(hub.url, CONNECTIONS);
    this.registry = new RegistryClient(hub.url);
    this.stdio = new LineChild(["stdio"]);
  }

  get url(): string {
    return this.hub.url;
  }

  /** Takes the file up again, with one server more or less. */
  reload(isLonger: boolean): void {
    const more = isLonger ? { more: evilServer("well-behaved") } : {};
    const { mcpServers } = this.#config as { mcpServers: object };
    this.hub.writeConfig({ ...this.#config, mcpServers: { ...mcpServers, ...more } });
  }

  /** Resolves when each of these has been asked for its tools; one that was there before is gone without a word. */
  async boxesCome(from: number, to: number): Promise<void> {
    const url = `${this.url.replace("http", "ws")}/xiaozhi/v1/`;
    for (let number = from; number < to; number++) {
      this.#boxes[number]?.vanish();
      await new Promise<void>((listed, left) => {
        this.#boxes[number] = new Box(url, number, {
          listed,
          left: () => left(new Error(`box ${number} was sent away`)),
        });
      });
    }
  }

  /** Boxes, and connections that are kept for the next request. */
  async allLeave(): Promise<void> {
    for (const box of this.#boxes.splice(0)) box.leave();
    await this.http.close();
    this.http = new RpcOverHttp(this.hub.url, CONNECTIONS);
  }

  async close(): Promise<void> {
    await this.allLeave();
    await this.http.close();
    await this.stdio.end();
    await this.hub.stop();
    this.#remote.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
