/**
 * Three hubs as one, whose NATS and whose PostgreSQL are stopped and started again: what goes on meanwhile, what is refused and how
 * soon, and that everything is well afterwards without anybody's doing. The ledger is kept by the program itself.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { untilSettled } from "../support/cluster/settled.ts";
import { LedgerSite } from "../support/ledger-site.ts";
import { type NatsProcess, NO_NATS, startNats } from "../support/nats.ts";
import { NO_POSTGRES, type Postgres, startPostgres } from "../support/postgres.ts";
import { isRunning } from "../support/processes.ts";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import { sized } from "../support/scorecard.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const LEDGER_SERVER = fileURLToPath(new URL("../support/ledger-server.mjs", import.meta.url));
const NAMES = ["uno", "dos", "tres"] as const;
/** "At once": half a second of patience with NATS, a second of silence, two without an answer of the database, and a slow machine. */
const SOON_MS = sized(30_000, 5_000);
/** A lease of ten seconds, and what it takes to notice. */
const LEASE_OVER_MS = sized(60_000, 15_000);
const BACK_MS = 60_000;

describe("three nodes whose engines fail", { skip: NO_POSTGRES || NO_NATS }, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-engines-"));
  const ledger = join(folder, "ledger");
  const env = {
    ZAGUAN_SECRET_KEY: randomBytes(32).toString("base64"),
    ZAGUAN_CLUSTER_SECRET: randomBytes(32).toString("base64"),
  };
  let postgres: Postgres;
  let nats: NatsProcess;
  let site: LedgerSite;
  let hubs: SpawnedZaguan[] = [];
  let clients: RegistryClient[] = [];
  let owner: SpawnedZaguan;
  let pid: number;
  let count = 0;
  /** How long each refused call has taken. */
  const toldMs: number[] = [];
  /** How to start what is stopped. */
  const stopped: (() => Promise<void>)[] = [];
  const stopNats = async (): Promise<void> => {
    await nats.kill();
    stopped.push(() => nats.restart());
  };
  const stopPostgres = async (): Promise<void> => {
    await postgres.stop();
    stopped.push(() => postgres.start());
  };
  const startAgain = async (): Promise<void> => {
    for (const start of stopped.splice(0)) await start();
  };

  before(async () => {
    postgres = await startPostgres();
    nats = await startNats();
    site = await LedgerSite.open(0);
  });
  beforeEach(async () => {
    count++;
    const config = {
      mcpServers: {
        ledger: { command: process.execPath, args: [LEDGER_SERVER, ledger] },
        far: { url: site.urlOf("http"), zaguan: { allowPrivate: true } },
      },
      limits: { graceSeconds: 2 },
    };
    const args = ["--database", postgres.url(`e${count}`), "--nats", nats.url];
    hubs = await Promise.all(NAMES.map((name) => spawnZaguan({ config, env, args: [...args, "--node", name] })));
    clients = hubs.map(({ url }) => new RegistryClient(url));
    await untilSettled(clients, NAMES);
    await Promise.all(clients.map((client) => lists(client, "whoami", "far__put")));
    const pids = await Promise.all(clients.map((client, index) => pidOf(client, `begin${index}`)));
    for (const client of clients) await reachesFar(client);
    pid = pids[0] as number;
    owner = hubs.find((hub) => hub.descendants().includes(pid)) as SpawnedZaguan;
  });
  afterEach(async (t) => {
    t.diagnostic(`refused calls were told so after ${toldMs.splice(0).join(", ")} ms`);
    // Where a test has failed in between.
    await startAgain();
    await Promise.all(hubs.splice(0).map((hub) => hub.stop()));
    rmSync(ledger, { force: true });
  });
  after(async () => {
    await site?.close();
    await nats?.stop();
    await postgres?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const lists = (client: RegistryClient, ...tools: readonly string[]): Promise<void> =>
    eventually(`${tools} are listed`, BACK_MS, async () => {
      const names = await client.names("/mcp");
      return tools.every((tool) => names.includes(tool));
    });
  const pidOf = async (client: RegistryClient, tag: string): Promise<number> =>
    Number(await client.textOf("/mcp", "whoami", { tag }));
  /** A server by URL, which every node is connected to. */
  const reachesFar = async (client: RegistryClient): Promise<void> => {
    const before = site.executed.length;
    const { status, text } = await client.call("/mcp", "far__put", { tag: "far" });
    assert.deepEqual([status, site.executed.length], [200, before + 1], text);
  };
  const others = (): RegistryClient[] => clients.filter(({ url }) => url !== owner.url);
  const atOwner = (): RegistryClient => clients.find(({ url }) => url === owner.url) as RegistryClient;
  const executed = (): string[] =>
    existsSync(ledger)
      ? readFileSync(ledger, "utf8")
          .trim()
          .split("\n")
          .map((line) => line.split(" ")[0] as string)
      : [];
  /** A call that must be answered soon, that it was not sent and may be tried again. */
  const refusedSoon = async (client: RegistryClient, tag: string): Promise<Answered> => {
    const startedAt = performance.now();
    const answer = await client.call("/mcp", "incr", { tag });
    const ms = performance.now() - startedAt;
    const { data } = answer.body.error ?? {};
    assert.deepEqual([data?.code, data?.delivery], ["SOURCE_UNAVAILABLE", "not_sent"], answer.text);
    assert.ok(data.retryAfterMs > 0, answer.text);
    assert.match(answer.body.error.message, /try again$/);
    assert.ok(ms < SOON_MS, `told after ${Math.round(ms)} ms`);
    toldMs.push(Math.round(ms));
    assert.ok(!executed().includes(tag), "it ran");
    return answer;
  };
  const health = async (client: RegistryClient): Promise<string[]> => {
    const [own, all] = [await client.get("/health"), await client.get("/health/cluster")];
    const { dependencies, status } = own.body;
    assert.equal(own.status, 200, "a balancer goes on sending callers here");
    return [
      status,
      dependencies.nats.status,
      dependencies.store.status,
      all.body.status,
      all.body.nats,
      all.body.store,
    ];
  };
  const allWell = (): Promise<void> =>
    eventually("all is well again", BACK_MS, async () => {
      const told = await Promise.all(clients.map(async (client) => `${await health(client)}`));
      return told.every((one) => one === "healthy,ok,ok,healthy,ok,ok");
    });
  /** Every node reaches the one program, and nothing of what was refused has run. */
  const oneAgain = async (tag: string): Promise<number> => {
    const answers = await Promise.all(
      clients.map((client, index) => client.call("/mcp", "whoami", { tag: tag + index })),
    );
    const pids = new Set(answers.map(({ body, text }) => Number(body.result?.content?.[0]?.text ?? text)));
    assert.equal(pids.size, 1, answers.map(({ text }) => text).join("\n"));
    assert.equal(new Set(executed()).size, executed().length, "none ran twice");
    return [...pids][0] as number;
  };

  it("without NATS serve what they hold and what they reach by URL, say at once of the rest that it was not sent, and are one again", async () => {
    await stopNats();
    await eventually("they know it", SOON_MS, async () => (await health(atOwner()))[4] === "away");
    assert.deepEqual(await health(atOwner()), ["degraded", "error", "ok", "degraded", "away", "ok"]);
    assert.equal(await pidOf(atOwner(), "own"), pid);
    for (const [index, client] of others().entries()) {
      await refusedSoon(client, `first${index}`);
      await refusedSoon(client, `again${index}`);
      assert.ok((await client.names("/mcp")).includes("incr"), "it is still listed");
      await reachesFar(client);
    }
    const spanish = await others()[0]?.post("/mcp", call("incr", { tag: "es" }), { "accept-language": "es" });
    assert.match(spanish?.body.error.message, /inténtelo de nuevo$/);
    // What is written meanwhile is known to all when they hear each other again.
    const late = { name: "tarde", baseUrl: site.urlOf("http"), authType: "none" };
    await atOwner().done("POST", "/mcp/servers", late);
    await startAgain();
    await allWell();
    assert.equal(await oneAgain("back"), pid, "nothing was started anew");
    for (const client of clients)
      await eventually("it is known", BACK_MS, async () => (await client.get("/health")).text.includes("tarde"));
  });

  it("without PostgreSQL go on reading and calling from memory, store nothing, let go of what they hold, and are one again", async () => {
    const [first] = clients as [RegistryClient];
    const { key } = await first.done("POST", "/keys", { name: "phone" });
    const unused = await first.done("POST", "/keys", { name: "car" });
    const { id } = await first.agent("ana", "ledger__incr");
    const agentKey = (await first.done("POST", `/agents/${id}/key`)).key;
    for (const client of clients) {
      await client.withKey(key).get("/mcp/servers");
      assert.deepEqual(await client.withKey(agentKey).names("/mcp"), ["incr"]);
      for (const path of pathsOf(id)) assert.equal((await client.get(path)).status, 200, path);
    }
    await stopPostgres();
    // For as long as the leases last, calls go on.
    await Promise.all(clients.map((client, index) => pidOf(client, `leased${index}`)));
    await eventually("they know it", SOON_MS, async () => (await health(first))[2] === "error");
    assert.deepEqual(await health(first), ["degraded", "ok", "error", "degraded", "ok", "error"]);
    for (const client of clients) {
      const refused = await client.post("/agents", { name: "eva", systemPrompt: "", autonomy: "Auto" });
      assert.deepEqual([refused.status, refused.body.code], [503, "STORE_UNAVAILABLE"], refused.text);
      for (const path of pathsOf(id)) assert.equal((await client.withKey(key).get(path)).status, 200, path);
      assert.deepEqual(await client.withKey(agentKey).names("/mcp"), ["incr"]);
      assert.equal((await client.withKey(unused.key).get("/mcp/status")).status, 200, "never used here before");
      assert.equal((await client.withKey(`${key.slice(0, -4)}AAAA`).get("/mcp/status")).status, 503);
    }
    await eventually("the program has ended", LEASE_OVER_MS, async () => !isRunning(pid));
    for (const [index, client] of clients.entries()) {
      await refusedSoon(client, `free${index}`);
      assert.ok((await client.names("/mcp")).includes("incr"), "it is still listed");
      await reachesFar(client);
    }
    await startAgain();
    await allWell();
    await oneAgain("back");
    await first.done("POST", "/agents", { name: "eva", systemPrompt: "", autonomy: "Auto" });
  });

  it("without both go on with what they reach by URL, and are one again when both are back", async () => {
    await Promise.all([stopNats(), stopPostgres()]);
    await eventually("the program has ended", LEASE_OVER_MS, async () => !isRunning(pid));
    for (const [index, client] of clients.entries()) {
      await reachesFar(client);
      await refusedSoon(client, `both${index}`);
      const away = "degraded,error,error,degraded,away,error";
      await eventually("it knows that both are away", SOON_MS, async () => `${await health(client)}` === away);
    }
    await startAgain();
    await allWell();
    await oneAgain("back");
  });
});

/** What is read from the database. */
function pathsOf(agent: string): string[] {
  return [
    "/mcp/servers",
    "/mcp/servers/ledger",
    "/mcp/tools/all",
    "/agents",
    `/agents/${agent}`,
    `/agents/${agent}/bindings`,
  ];
}

function call(name: string, args: object): object {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
}

async function eventually(what: string, ms: number, holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + ms;
  while (!(await holds())) {
    assert.ok(performance.now() < until, `in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
