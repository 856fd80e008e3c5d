/** A real hub in front of the four servers whose calls wait, with all that has to be started and ended around it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { answerTo, type McpClient, now } from "./clients/client.ts";
import { HttpExchange } from "./clients/http-exchange.ts";
import { PostingClient } from "./clients/posting-client.ts";
import { isRunning, until } from "./processes.ts";
import { type SpawnedZaguan, spawnZaguan } from "./spawn-zaguan.ts";
import {
  WAITING_SOURCES,
  WaitingHttpServer,
  WaitingLedger,
  type WaitingSource,
  waitingCommand,
} from "./waiting-sources.ts";

const START_LIMIT_MS = 90_000;

export interface Health {
  readonly callsInFlight: number;
  readonly sources: readonly { readonly name: string; readonly state: string }[];
}

export class WaitingHub {
  readonly process: SpawnedZaguan;
  readonly ledger: WaitingLedger;
  readonly config: object;
  /** Those over HTTP, by name. */
  readonly servers: ReadonlyMap<string, WaitingHttpServer>;

  /** Resolves when everything that the sources offer is known. */
  static async start(limits: object): Promise<WaitingHub> {
    const ledger = new WaitingLedger(join(mkdtempSync(join(tmpdir(), "zaguan-waiting-")), "ledger.jsonl"));
    const remote = WAITING_SOURCES.filter(({ overHttp }) => overHttp);
    const servers = new Map(remote.map((source) => [source.name, new WaitingHttpServer(source, ledger.file)]));
    await Promise.all([...servers.values()].map((server) => server.start()));
    const entries = WAITING_SOURCES.map((source) => {
      return [source.name, servers.get(source.name)?.entry ?? waitingCommand(source, ledger.file)];
    });
    const config = { mcpServers: Object.fromEntries(entries), limits, log: { level: "info" } };
    const hub = new WaitingHub(await spawnZaguan({ config }), ledger, config, servers);
    const client = new PostingClient("2025", `${hub.url}/mcp`);
    await untilAllIsOffered(client);
    client.leave();
    return hub;
  }

  private constructor(
    process: SpawnedZaguan,
    ledger: WaitingLedger,
    config: object,
    servers: ReadonlyMap<string, WaitingHttpServer>,
  ) {
    this.process = process;
    this.ledger = ledger;
    this.config = config;
    this.servers = servers;
  }

  get url(): string {
    return this.process.url;
  }

  async health(): Promise<Health> {
    let text = "{}";
    const take = (data: string): void => {
      text = data;
    };
    await new HttpExchange({ method: "GET", url: `${this.url}/health`, onData: take }).ended;
    return JSON.parse(text) as Health;
  }

  async untilHealth(what: string, isSo: (health: Health) => boolean): Promise<void> {
    let last = await this.health();
    let asking = false;
    const ask = async (): Promise<void> => {
      asking = true;
      last = await this.health();
      asking = false;
    };
    await until(what, () => {
      if (!asking) void ask();
      return isSo(last);
    });
  }

  untilReady({ name }: WaitingSource): Promise<void> {
    const isReady = ({ sources }: Health): boolean =>
      sources.some((source) => source.name === name && source.state === "ready");
    return this.untilHealth(`${name} is ready`, isReady);
  }

  /** Fails if the hub met something that it did not expect, or if any process is left. */
  async stop(): Promise<void> {
    await this.process.stop();
    await Promise.all([...this.servers.values()].map((server) => server.kill()));
    const pids = new Set(this.ledger.lines().map(({ pid }) => pid));
    rmSync(join(this.ledger.file, ".."), { recursive: true, force: true });
    assert.doesNotMatch(this.process.stdout() + this.process.stderr(), /internal error/);
    assert.deepEqual([...pids].filter(isRunning), [], "servers were left running");
  }
}

/** A hub answers before its sources do; each of ours has tools, and a template of resources, which it tells last. */
export async function untilAllIsOffered(client: McpClient): Promise<void> {
  const end = now() + START_LIMIT_MS;
  for (;;) {
    const { result } = await answerTo(client.request("resources/templates/list", {}));
    const templates = (result?.["resourceTemplates"] ?? []) as readonly unknown[];
    if (templates.length === WAITING_SOURCES.length) return;
    if (now() > end) throw new Error(`still not all offered: ${JSON.stringify(templates)}`);
    await sleep(20);
  }
}
