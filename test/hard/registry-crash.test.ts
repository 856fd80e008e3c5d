/**
 * The hub is killed while several clients write to its registry: what was acknowledged is there afterwards, what was not
 * is there whole or not at all, and the database is sound. Row 5 of the scorecard.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fillRegistry, nameOf, type Player, playServers, TOOLS_OF_EACH } from "../support/many-servers.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { Random } from "../support/seed.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { ABSENT, WriteLedger } from "../support/write-ledger.ts";

const ROUNDS = sized(2, 20);
/** From the start of the process to the first list; the short form runs where others work too. */
const READY_MS = sized(60_000, 3_000);
const FEWEST_WRITES = 30;
const MOST_WRITES = 120;
/** Of each kind two write at once, each to things of its own. */
const WRITERS = ["a", "b"] as const;
const POOL = 8;
const dice = new Random();
/** Servers whose tools are linked to agents; they stay. */
const LINKED = 3;

interface Shown {
  readonly id: string;
  readonly name: string;
}
interface ServerShown extends Shown {
  readonly baseUrl: string;
  readonly status: string;
  readonly origin: string;
}
interface ToolShown extends Shown {
  readonly serverName: string;
}
interface BindingShown {
  readonly id: string;
  readonly toolId: string;
  readonly enabled: boolean;
}

describe(`a registry whose hub is killed ${ROUNDS} times while it is written to`, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-crash-"));
  const ledger = new WriteLedger();
  /** The ids that a discovery answered with, by server: they hold for ever. */
  const discovered = new Map<string, readonly string[]>();
  /** By agent and tool, as far as they are known. */
  const bindingIds = new Map<string, string>();
  const readyAfterMs: number[] = [];
  let linkedTools: readonly ToolShown[] = [];
  let player: Player;
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    player = await playServers();
    await start();
    await fillRegistry(hub.url, player.url, LINKED);
    linkedTools = (await list<ToolShown>("/mcp/tools/all")).filter(({ serverName }) => serverName !== "house");
    for (const writer of WRITERS) await send("POST", "/agents", { name: `linked-${writer}` });
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
    await player?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (let round = 1; round <= ROUNDS; round++) {
    it(`has every acknowledged write after the ${ordinal(round)} time`, async (t) => {
      const before = ledger.acknowledged;
      await killWhileWriting();
      const startedAt = performance.now();
      await start();
      await list("/mcp/servers");
      const readyMs = performance.now() - startedAt;
      t.diagnostic(`${ledger.acknowledged - before} writes acknowledged; ready again after ${readyMs.toFixed(0)} ms`);
      readyAfterMs.push(readyMs);
      assertSound(join(folder, "data", "zaguan.db"));
      ledger.settle(await everything());
      await assertDiscovered();
    });
  }

  it("is ready soon after each of them", () => {
    const longest = Math.max(...readyAfterMs);
    figure(5, "acknowledged writes lost", `0 of ${ledger.acknowledged.toLocaleString("en")} in ${ROUNDS} kills`);
    figure(5, "ready again, at the latest", `${longest.toFixed(0)} ms`);
    assert.equal(readyAfterMs.length, ROUNDS);
    assert.ok(longest < READY_MS, `${longest} ms`);
  });

  async function start(): Promise<void> {
    hub = await spawnZaguan({ folder, config: { log: { level: "error" } } });
    client = new RpcOverHttp(hub.url);
  }

  /** Some time after the last of so many writes was acknowledged, so that others are under way. */
  async function killWhileWriting(): Promise<void> {
    const enough = ledger.acknowledged + FEWEST_WRITES + dice.fraction() * (MOST_WRITES - FEWEST_WRITES);
    let isDead = false;
    const kinds = [writeServer, writeDiscovery, writeAgent, writeBinding];
    const writing = kinds.flatMap((write) =>
      WRITERS.map(async (writer) => {
        for (let turn = 0; ; turn++) await write(writer, turn);
      }),
    );
    const failures = Promise.all(
      writing.map((writer) => writer.catch((cause) => assert.ok(isDead, `a write failed: ${cause}`))),
    );
    const killing = (async () => {
      while (ledger.acknowledged < enough) await Promise.race([sleep(1), failures]);
      await sleep(dice.fraction() * 5);
      isDead = true;
      await hub.kill();
    })();
    await Promise.all([failures, killing]);
    await client.close();
  }

  async function writeServer(writer: string, turn: number): Promise<void> {
    const name = `server-${writer}-${turn % POOL}`;
    const key = `server ${name}`;
    const baseUrl = `${player.url}/${name}-${dice.fraction()}`;
    if (ledger.stateOf(key) === ABSENT) {
      const server = { name, baseUrl, authType: "apikey", credentials: "secret" };
      await ledger.write(key, baseUrl, () => client.send("POST", "/mcp/servers", JSON.stringify(server)));
    } else if (dice.fraction() < 0.5) {
      const change = JSON.stringify({ baseUrl });
      await ledger.write(key, baseUrl, () => client.send("PATCH", `/mcp/servers/${name}`, change));
    } else {
      await ledger.write(key, ABSENT, () => client.send("DELETE", `/mcp/servers/${name}`));
    }
  }

  async function writeDiscovery(writer: string, turn: number): Promise<void> {
    const name = `found-${writer}-${turn % POOL}`;
    const key = `server ${name}`;
    const baseUrl = `${player.url}/${name}`;
    if (ledger.stateOf(key) === ABSENT) {
      const server = JSON.stringify({ name, baseUrl });
      await ledger.write(key, baseUrl, () => client.send("POST", "/mcp/servers", server));
    }
    const answer = await client.send("POST", `/mcp/servers/${name}/discover`);
    assert.equal(answer.status, 200, answer.text);
    const { tools } = JSON.parse(answer.text) as { readonly tools: readonly ToolShown[] };
    const ids = tools.map(({ id }) => id);
    assert.deepEqual(ids, discovered.get(name) ?? ids, `${name}: its tools have other ids`);
    discovered.set(name, ids);
    ledger.acknowledged++;
  }

  async function writeAgent(writer: string, turn: number): Promise<void> {
    const name = `agent-${writer}-${turn % POOL}`;
    const key = `agent ${name}`;
    const description = `made in turn ${turn}, ${dice.fraction()}`;
    if (ledger.stateOf(key) === ABSENT) {
      const agent = JSON.stringify({ name, description });
      await ledger.write(key, description, () => client.send("POST", "/agents", agent));
    } else if (dice.fraction() < 0.7) {
      const change = JSON.stringify({ description });
      await ledger.write(key, description, () => client.send("PATCH", `/agents/${name}`, change));
    } else {
      await ledger.write(key, ABSENT, () => client.send("DELETE", `/agents/${name}`));
    }
  }

  async function writeBinding(writer: string, turn: number): Promise<void> {
    const agent = `linked-${writer}`;
    const toolId = linkedTools[turn % linkedTools.length]?.id ?? "";
    const key = `binding ${agent} ${toolId}`;
    const path = `/agents/${agent}/bindings`;
    const state = ledger.stateOf(key);
    if (state === ABSENT) {
      const binding = JSON.stringify({ toolId });
      const answer = await ledger.write(key, "true", () => client.send("POST", path, binding));
      bindingIds.set(key, (JSON.parse(answer.text) as BindingShown).id);
    } else if (dice.fraction() < 0.5) {
      const enabled = state !== "true";
      const send = () => client.send("PATCH", `${path}/${bindingIds.get(key)}`, JSON.stringify({ enabled }));
      await ledger.write(key, String(enabled), send);
    } else {
      await ledger.write(key, ABSENT, () => client.send("DELETE", `${path}/${bindingIds.get(key)}`));
    }
  }

  /** All that writers may have written, as the hub shows it. */
  async function everything(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const { name, baseUrl, status, origin } of await list<ServerShown>("/mcp/servers")) {
      assert.equal(status, "active", `${name} cannot be used any more`);
      if (origin === "registered" && !isLinked(name)) found.set(`server ${name}`, baseUrl);
    }
    for (const { name, description } of await list<Shown & { readonly description: string }>("/agents")) {
      if (!name.startsWith("linked-")) found.set(`agent ${name}`, description);
    }
    for (const agent of WRITERS.map((writer) => `linked-${writer}`)) {
      for (const { id, toolId, enabled } of await list<BindingShown>(`/agents/${agent}/bindings`)) {
        found.set(`binding ${agent} ${toolId}`, String(enabled));
        bindingIds.set(`binding ${agent} ${toolId}`, id);
      }
    }
    return found;
  }

  async function assertDiscovered(): Promise<void> {
    const tools = await list<ToolShown>("/mcp/tools/all");
    for (const [server, ids] of discovered) {
      const kept = tools.filter(({ serverName }) => serverName === server).map(({ id }) => id);
      assert.deepEqual(kept, ids, `the tools of ${server}`);
      assert.equal(kept.length, TOOLS_OF_EACH);
    }
  }

  async function send(method: string, path: string, body: object): Promise<void> {
    const { status, text } = await client.send(method, path, JSON.stringify(body));
    assert.ok(status < 300, text);
  }

  async function list<Item>(path: string): Promise<readonly Item[]> {
    const { status, text } = await client.get(path);
    assert.equal(status, 200, text);
    return JSON.parse(text) as readonly Item[];
  }
});

function assertSound(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    assert.deepEqual(database.prepare("PRAGMA integrity_check").all().map(Object.values), [["ok"]]);
    assert.deepEqual(database.prepare("PRAGMA foreign_key_check").all(), []);
  } finally {
    database.close();
  }
}

function isLinked(name: string): boolean {
  return Array.from({ length: LINKED }, (_, number) => nameOf(number)).includes(name);
}

function ordinal(number: number): string {
  return `${number}${["st", "nd", "rd"][number - 1] ?? "th"}`;
}
