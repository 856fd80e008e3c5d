/**
 * Three hubs on one PostgreSQL and one NATS as one: programs run once, whichever node is asked reaches them, and what a node that
 * dies had is taken over. The ledger is kept by the program itself.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { AskedClient, textOf } from "../support/asked-client.ts";
import { answersTo, answerTo } from "../support/clients/client.ts";
import { untilSettled } from "../support/cluster/settled.ts";
import { type NatsProcess, NO_NATS, startNats } from "../support/nats.ts";
import { NO_POSTGRES, type Postgres, startPostgres } from "../support/postgres.ts";
import { isRunning, until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { sized } from "../support/scorecard.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const LEDGER_SERVER = fileURLToPath(new URL("../support/ledger-server.mjs", import.meta.url));
const ASKING_SERVER = fileURLToPath(new URL("../support/asking-server.mjs", import.meta.url));
const NAMES = ["uno", "dos", "tres"] as const;
/** A lease of ten seconds, and what it takes to notice. */
const TAKEOVER_MS = sized(30_000, 12_000);
/** A second of silence means gone, and the machine may be slow; a lease, which is renewed every three seconds, would last longer. */
const TOLD_MS = sized(6_000, 2_500);
/** Two seconds, and a slow machine. */
const REVOKED_MS = sized(5_000, 2_000);

describe("three nodes", { skip: NO_POSTGRES || NO_NATS }, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-cluster-"));
  const ledger = join(folder, "ledger");
  const asking = join(folder, "asking");
  const env = {
    ZAGUAN_SECRET_KEY: randomBytes(32).toString("base64"),
    ZAGUAN_CLUSTER_SECRET: randomBytes(32).toString("base64"),
  };
  const config = {
    mcpServers: {
      ledger: { command: process.execPath, args: [LEDGER_SERVER, ledger] },
      asking: { command: process.execPath, args: [ASKING_SERVER, asking] },
    },
    limits: { graceSeconds: 5, drainSeconds: 0 },
  };
  let postgres: Postgres;
  let nats: NatsProcess;
  let hubs: SpawnedZaguan[] = [];
  let count = 0;
  before(async () => {
    postgres = await startPostgres();
    nats = await startNats();
  });
  afterEach(async () => {
    await Promise.all(hubs.splice(0).map((hub) => (isRunning(hub.pid) ? hub.stop() : undefined)));
    rmSync(ledger, { force: true });
  });
  after(async () => {
    await nats?.stop();
    await postgres?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (name: string): Promise<SpawnedZaguan> => {
    const args = ["--database", postgres.url(`c${count}`), "--nats", nats.url, "--node", name];
    return spawnZaguan({ config, env, args });
  };
  const startAll = async (): Promise<RegistryClient[]> => {
    count++;
    hubs = await Promise.all(NAMES.map(start));
    const clients = hubs.map(({ url }) => new RegistryClient(url));
    await untilSettled(clients, NAMES);
    return clients;
  };
  const executed = (): string[] => (existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : []);
  const pidOf = async (client: RegistryClient, tag: string): Promise<number> =>
    Number(await client.textOf("/mcp", "whoami", { tag }));
  /** The hub below which this process runs. */
  const ownerOf = (pid: number): SpawnedZaguan | undefined => hubs.find((hub) => hub.descendants().includes(pid));

  it("run a program once, and each of them reaches it", async () => {
    const clients = await startAll();
    const pids = await Promise.all(clients.map((client, index) => pidOf(client, `t${index}`)));
    assert.equal(new Set(pids).size, 1, `one process: ${pids}`);
    assert.deepEqual(
      executed()
        .map((line) => line.split(" ")[0])
        .sort(),
      ["t0", "t1", "t2"],
    );
    assert.ok(ownerOf(pids[0] as number), "it is a child of one of them");
    for (const client of clients) {
      // What nobody calls may be claimed later, and who stood still for a second is missing for a moment.
      const whole = `healthy ${[...NAMES].sort()} asking,house,ledger`;
      await eventually(async () => {
        const { status, nodes, sources } = (await client.get("/health/cluster")).body;
        return `${status} ${nodes} ${sources.map(({ name }: { name: string }) => name).sort()}` === whole;
      });
    }
  });

  it("list the same tools, and turn the same house", async () => {
    const clients = await startAll();
    const lists = await Promise.all(clients.map((client) => client.names("/mcp")));
    for (const names of lists) assert.deepEqual(names, lists[0]);
    assert.ok(lists[0]?.includes("incr") && lists[0].includes("set_light_state"));
    await clients[0]?.call("/mcp", "set_light_state", { name: "salon", on: true });
    for (const client of clients) assert.match(await client.textOf("/mcp", "get_all_states", {}), /"salon":\s*true/);
  });

  it("carry answers of a megabyte and failures of the tool", async () => {
    const clients = await startAll();
    const answers = await Promise.all(
      clients.map((client, index) => client.textOf("/mcp", "big", { tag: `big${index}`, bytes: 1_000_000 })),
    );
    assert.deepEqual(
      answers.map((text) => text.length),
      [1_000_000, 1_000_000, 1_000_000],
    );
    for (const client of clients) {
      const { body } = await client.post("/mcp", rpc("incr", {}));
      assert.equal(body.error?.code, -32602, JSON.stringify(body));
    }
  });

  it("take over what a killed node had; a call that was under way there is unknown soon, and ran once", async () => {
    const clients = await startAll();
    const owner = ownerOf(await pidOf(clients[0] as RegistryClient, "first"));
    const other = clients.find(({ url }) => url !== owner?.url) as RegistryClient;
    const pending = other.post("/mcp", rpc("sleep", { tag: "cut", ms: 60_000 }));
    while (!executed().some((line) => line.startsWith("cut "))) await pause(20);
    await owner?.kill();
    const killedAt = Date.now();
    const { body } = await pending;
    const toldMs = Date.now() - killedAt;
    assert.equal(body.error?.data?.delivery, "unknown", JSON.stringify(body));
    assert.ok(toldMs < TOLD_MS, `told after ${toldMs} ms`);
    const text = await other.textOf("/mcp", "incr", { tag: "after" });
    const takenMs = Date.now() - killedAt;
    assert.equal(text, "after");
    assert.ok(takenMs < TAKEOVER_MS, `taken over after ${takenMs} ms`);
    const tags = executed().map((line) => line.split(" ")[0]);
    assert.deepEqual(tags.filter((tag) => tag === "cut" || tag === "after").sort(), ["after", "cut"]);
  });

  it("hand over what they hold when one is stopped, without a failed call", async () => {
    const clients = await startAll();
    const owner = ownerOf(await pidOf(clients[0] as RegistryClient, "first")) as SpawnedZaguan;
    const others = clients.filter(({ url }) => url !== owner.url);
    let isOver = false;
    let calls = 0;
    const failures: string[] = [];
    const callers = others.map(async (client, index) => {
      while (!isOver) {
        const { body, text } = await client.post("/mcp", rpc("incr", { tag: `h${index}-${++calls}` }));
        if (body.error || body.result?.isError) failures.push(text);
        await pause(10);
      }
    });
    await pause(300);
    await owner.stop();
    await pause(500);
    isOver = true;
    await Promise.all(callers);
    assert.deepEqual(failures, []);
    const tags = executed().map((line) => line.split(" ")[0]);
    assert.equal(tags.filter((tag) => tag?.startsWith("h")).length, calls);
    assert.equal(new Set(tags).size, tags.length, "none ran twice");
  });

  it("ask the client of another node back, tell it of progress, and hear that it has left", async () => {
    const clients = await startAll();
    await clients[0]?.textOf("/mcp", "who", {});
    const people = await Promise.all(
      hubs.map(({ url }, index) => AskedClient.open(NAMES[index] as string, `${url}/servers/asking/mcp`)),
    );
    const answers = await Promise.all(people.map((person) => person.call("elicit", { nonce: person.name })));
    for (const [index, name] of NAMES.entries()) assert.match(answers[index] ?? "", new RegExp(`^${name} .*${name}"`));
    for (const person of people) {
      const asked = person.call("elicit", { nonce: person.name, afterMs: 500 });
      await person.call("who");
      assert.match(await asked, /accept/, "a call that came later and is over takes nothing from it");
      const late = person.send("elicit", { nonce: person.name, afterMs: 200 });
      await answerTo(person.send("work", { ms: 600, everyMs: 50 }));
      await until("it is asked", () => {
        person.answerAll();
        return answersTo(late).length > 0;
      });
      assert.match(textOf(await answerTo(late)), /accept/, "nor does one that ends while the client is asked");
    }
    for (const person of people) {
      const sent = person.send("work", { ms: 200, everyMs: 50 }, { wantsProgress: true });
      await answerTo(sent);
      assert.ok(
        sent.heard.some(({ method }) => method === "notifications/progress"),
        person.name,
      );
    }
    const cancelled = (): number => readFileSync(asking, "utf8").split(" cancelled").length - 1;
    const hanging = people.map((person) => person.send("hang"));
    await until("all hang there", () => readFileSync(asking, "utf8").split(" hangs").length - 1 === people.length);
    for (const sent of hanging) sent.cancel();
    await eventually(async () => cancelled() === people.length);
    for (const { session } of people) session.leave();
  });

  it("withdraw a question at the client of another node that its source took back, or whose call is over", async () => {
    const clients = await startAll();
    await clients[0]?.textOf("/mcp", "who", {});
    const people = await Promise.all(
      hubs.map(({ url }, index) => AskedClient.open(NAMES[index] as string, `${url}/servers/asking/mcp`)),
    );
    for (const person of people) {
      assert.equal(textOf(await answerTo(person.send("regret", { ms: 300 }))), "did without");
      await isTakenBack(person, 1);
      assert.equal(textOf(await answerTo(person.send("regret", { ms: 300, silently: true }))), "did without");
      await isTakenBack(person, 2);
      const sent = person.send("elicit", { nonce: person.name });
      await until("it is asked", () => person.questions().length === 3);
      sent.cancel();
      await isTakenBack(person, 3);
      person.send("elicit", { nonce: "cut" });
      await until("it is asked", () => person.questions().length === 4);
    }
    const pid = JSON.parse((await clients[0]?.textOf("/mcp", "who", {})) ?? "").pid as number;
    const owner = ownerOf(pid) as SpawnedZaguan;
    await owner.kill();
    for (const [index, person] of people.entries()) if (hubs[index] !== owner) await isTakenBack(person, 4);
    for (const { session } of people) session.leave();
  });

  it("let go of what they hold when they stand still, before another takes it", async () => {
    const clients = await startAll();
    const pid = await pidOf(clients[0] as RegistryClient, "first");
    const owner = ownerOf(pid) as SpawnedZaguan;
    const other = clients.find(({ url }) => url !== owner.url) as RegistryClient;
    process.kill(owner.pid, "SIGSTOP");
    try {
      const next = await pidOf(other, "second");
      assert.notEqual(next, pid);
      assert.equal(isRunning(pid), false, "the program of the node that stands still is dead");
    } finally {
      process.kill(owner.pid, "SIGCONT");
    }
    const back = clients.find(({ url }) => url === owner.url) as RegistryClient;
    await eventually(async () => (await back.call("/mcp", "whoami", { tag: "third" })).status === 200);
    const pids = await Promise.all(clients.map((client, index) => pidOf(client, `f${index}`)));
    assert.equal(new Set(pids).size, 1, `one process: ${pids}`);
  });

  it("refuse a key everywhere soon after it was revoked anywhere", async () => {
    const clients = await startAll();
    const made = await clients[0]?.post("/keys", { name: "phone" });
    const keyed = clients.map((client) => client.withKey(made?.body.key));
    for (const client of keyed) assert.equal((await client.get("/mcp/servers")).status, 200);
    await clients[1]?.done("DELETE", `/keys/${made?.body.id}`);
    const revokedAt = Date.now();
    for (const client of keyed) {
      while ((await client.get("/mcp/servers")).status !== 401) {
        assert.ok(Date.now() - revokedAt < REVOKED_MS, "it is still let in");
        await pause(20);
      }
    }
  });

  it("know a server that was registered at one of them, and forget it with it", async () => {
    const clients = await startAll();
    const registered = { name: "lejos", baseUrl: `${clients[2]?.url}/nowhere`, authType: "none" };
    const { id } = await (clients[0] as RegistryClient).done("POST", "/mcp/servers", registered);
    for (const client of clients) await eventually(async () => (await client.get("/health")).text.includes("lejos"));
    await clients[1]?.done("DELETE", `/mcp/servers/${id}`);
    for (const client of clients) await eventually(async () => !(await client.get("/health")).text.includes("lejos"));
  });
});

/** So many questions were asked, and each of them was withdrawn. */
async function isTakenBack(person: AskedClient, count: number): Promise<void> {
  await until(`${person.name} is asked ${count} times`, () => person.questions().length >= count);
  const asked = person.questions().map(({ id }) => id);
  assert.equal(asked.length, count, `${person.name} was asked`);
  const withdrawn = (): unknown[] => person.heard("notifications/cancelled").map(({ params }) => params?.["requestId"]);
  await until(`question ${count} is withdrawn at ${person.name}`, () => withdrawn().length === count);
  assert.deepEqual(withdrawn(), asked);
}

function rpc(name: string, args: object): object {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, "it did not come about");
    await pause(50);
  }
}
