/**
 * Timers carry the rights of whoever started them, at a real hub: they are judged when they fire, by what their starter may
 * do then, and nobody but their starter and administrators learns of them. A server with a ledger tells what was called.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type BrokerLink, CALLERS_HELLO, CloudBroker, DeviceSocket } from "../support/devices/index.ts";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient, textIn } from "../support/registry-client.ts";
import { untilListed } from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";
import { openSocket } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const SERVER = fileURLToPath(new URL("../support/ledger-server.mjs", import.meta.url));
const TIMER_TOOLS = ["start_countdown", "cancel_countdown", "get_active_timers"].map((name) => `timers__timer.${name}`);
/** Long enough for all rights to be taken away before anything fires; longer where the machine is seen to be slow. */
let delaySeconds = 12;

const folder = mkdtempSync(join(tmpdir(), "zaguan-timer-rights-"));
const ledger = join(folder, "ledger");
let hub: SpawnedZaguan;
let local: RegistryClient;
let broker: CloudBroker;
/** Voice clouds that the hub dials. */
const ENDPOINTS = ["voice-stays", "voice-leaves"];
const configWith = (endpoints: readonly string[]): object => ({
  mcpServers: { ledger: { command: process.execPath, args: [SERVER, ledger] } },
  devices: { timers: true },
  xiaozhi: { endpoints: endpoints.map((name) => ({ name, url: broker.url(name) })) },
});
before(async () => {
  broker = await CloudBroker.start();
  hub = await spawnZaguan({ folder, config: configWith(ENDPOINTS), args: ["--allow-private"] });
  local = new RegistryClient(hub.url);
  await untilListed(local, "timer.start_countdown", "incr");
});
after(async () => {
  await hub?.stop();
  await broker?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function key(name: string, rights: object = {}): Promise<RegistryClient> {
  return local.withKey((await local.done("POST", "/keys", { name, ...rights })).key);
}

/** An agent that may use timers and one tool of the ledger, with a key of its own. */
async function agent(name: string, config?: object): Promise<RegistryClient> {
  await local.agent(name, ...TIMER_TOOLS);
  await local.done("POST", `/agents/${name}/bindings`, { toolId: "ledger__incr", ...(config && { config }) });
  return local.withKey((await local.done("POST", `/agents/${name}/key`)).key);
}

async function told(client: RegistryClient, name: string, args: object = {}, path = "/mcp"): Promise<Message> {
  return JSON.parse(await client.textOf(path, `timer.${name}`, args));
}

function order(client: RegistryClient, tag: string | undefined, path = "/mcp", delay = delaySeconds): Promise<Message> {
  const command = JSON.stringify({ name: "incr", arguments: tag === undefined ? {} : { tag } });
  return told(client, "start_countdown", { command, delay, description: tag ?? "" }, path);
}

async function started(client: RegistryClient, tag: string | undefined, path?: string): Promise<number> {
  const answer = await order(client, tag, path);
  assert.equal(answer.success, true, JSON.stringify(answer));
  return answer.timer_id;
}

/** The same by the frames of a voice cloud or of a device. */
async function startedBy(caller: Pick<DeviceSocket, "call">, tag: string): Promise<number> {
  const command = JSON.stringify({ name: "incr", arguments: { tag } });
  const told = JSON.parse(textIn(await caller.call("timer.start_countdown", { command, delay: delaySeconds })));
  assert.equal(told.success, true, JSON.stringify(told));
  return told.timer_id;
}

async function cloudsByName(): Promise<Map<string | null, BrokerLink>> {
  const links = [];
  for (const _ of ENDPOINTS) links.push(await broker.next());
  return new Map(links.map((link) => [link.dial.query.get("token"), link]));
}

async function dialIn(name: string): Promise<DeviceSocket> {
  const { key: token } = await local.done("POST", "/keys", { name });
  const device = await DeviceSocket.open({ url: hub.url, token });
  await device.hello(CALLERS_HELLO);
  return device;
}

async function bindingOf(name: string): Promise<string> {
  const bindings: Message[] = await local.done("GET", `/agents/${name}/bindings`);
  const found = bindings.find(({ toolName, tool }) => (toolName ?? tool?.name) === "incr");
  return `/agents/${name}/bindings/${(found ?? assert.fail(JSON.stringify(bindings))).id}`;
}

const executed = (): string[] =>
  existsSync(ledger)
    ? readFileSync(ledger, "utf8")
        .split("\n")
        .map((line) => line.split(" ")[0] ?? "")
    : [];

const endingOf = async (id: number, client = local): Promise<Message | undefined> =>
  (await told(client, "get_active_timers")).recent.find((run: Message) => run.timer_id === id);

async function ended(id: number): Promise<Message> {
  return (await askUntil(
    `timer ${id} is over`,
    () => endingOf(id),
    (run) => run !== undefined,
  )) as Message;
}

describe("a timer when it fires", () => {
  const ids: Record<string, number> = {};
  let stays: RegistryClient;
  let unlinked: RegistryClient;
  let refixed: RegistryClient;

  before(async () => {
    const began = performance.now();
    stays = await key("stays", { allow: ["timer.*", "incr"] });
    const revoked = await key("revoked");
    const narrowed = await key("narrowed", { allow: ["timer.*", "incr"] });
    const acting = await key("acting", { admin: true });
    unlinked = await agent("unlinked");
    refixed = await agent("refixed");
    const [deleted, keyless, fixed] = [await agent("deleted"), await agent("keyless"), await agent("fixed", FIXED)];
    await agent("stood-in");
    // What follows until the last right is gone takes about twice as long.
    delaySeconds = Math.max(delaySeconds, Math.ceil((performance.now() - began) / 100));
    ids["stays"] = await started(stays, "stays");
    ids["revoked"] = await started(revoked, "revoked");
    ids["narrowed"] = await started(narrowed, "narrowed");
    ids["acting"] = await started(acting, "acting", "/agents/stood-in/mcp");
    ids["stood-in"] = await started(local, "stood-in", "/agents/stood-in/mcp");
    ids["unlinked"] = await started(unlinked, "unlinked");
    ids["refixed"] = await started(refixed, "refixed");
    ids["deleted"] = await started(deleted, "deleted");
    ids["keyless"] = await started(keyless, "keyless");
    ids["fixed"] = await started(fixed, undefined);
    const clouds = await cloudsByName();
    for (const name of ENDPOINTS) ids[name] = await startedBy(clouds.get(name) as BrokerLink, name);
    const device = await dialIn("device");
    ids["device"] = await startedBy(device, "device");
    await device.close();
    hub.writeConfig(configWith(["voice-stays"]));
    for (const name of ["revoked", "acting", "device"]) await local.done("DELETE", `/keys/${name}`);
    narrow("narrowed", ["timer.*", "echo"]);
    await local.done("DELETE", await bindingOf("unlinked"));
    await local.done("PATCH", await bindingOf("refixed"), { config: FIXED });
    await local.done("DELETE", "/agents/deleted");
    await local.done("DELETE", "/agents/keyless/key");
    const dialled = async (): Promise<Message[]> => (await local.done("GET", "/mcp/status")).xiaozhi;
    await askUntil("one endpoint is left", dialled, ({ length }) => length === 1);
  });

  for (const name of ["stays", "stood-in", "voice-stays"]) {
    it(`calls its tool where its starter still may (${name})`, async () => {
      assert.equal((await ended(ids[name] as number)).status, "done");
      assert.equal(executed().filter((tag) => tag === name).length, 1);
    });
  }

  it("calls with the arguments that its starter's link fixes", async () => {
    assert.equal((await ended(ids["fixed"] as number)).status, "done");
    assert.equal(executed().filter((tag) => tag === "by-link").length, 1);
  });

  const refused: readonly (readonly [name: string, why: string, reason: RegExp])[] = [
    ["revoked", "its key is revoked", /revoked/],
    ["narrowed", "its key is for fewer tools now", /incr/],
    ["acting", "the key is revoked that acted as an agent", /revoked/],
    ["unlinked", "its agent is no longer linked to the tool", /incr/],
    ["refixed", "its agent's link fixes the argument that it gives", /tag/],
    ["deleted", "its agent is deleted", /deleted/],
    ["keyless", "its agent's key is revoked", /revoked/],
    ["device", "the key of the device is revoked", /revoked/],
    ["voice-leaves", "its voice endpoint is not dialled any more", /deleted/],
  ];
  for (const [name, why, reason] of refused) {
    it(`is refused, with a reason, and calls nothing if ${why}`, async () => {
      const { status, error } = await ended(ids[name] as number);
      assert.equal(status, "refused");
      assert.match(error, reason);
      assert.ok(!executed().includes(name));
    });
  }

  it("tells its starter why it was refused", async () => {
    assert.equal((await endingOf(ids["unlinked"] as number, unlinked))?.status, "refused");
    assert.match((await endingOf(ids["refixed"] as number, refixed))?.error, /tag/);
  });

  it("is not even started with an argument that its starter's link fixes", async () => {
    const { success, message } = await order(refixed, "not-mine");
    assert.equal(success, false);
    assert.match(message, /tag/);
  });

  it("is not even started for a tool that its starter may not use", async () => {
    const { success, message } = await order(unlinked, "not-mine");
    assert.deepEqual([success, /incr/.test(message)], [false, true]);
  });
});

describe("a timer before it fires", () => {
  let owner: RegistryClient;
  let id: number;
  const others: Record<string, RegistryClient> = {};

  before(async () => {
    owner = await key("owner", { allow: ["timer.*", "incr"] });
    others["a key for every tool"] = await key("other");
    others["a key that may not use its tool"] = await key("no-incr", { allow: ["timer.*"] });
    others["an agent"] = await agent("curious");
    const command = JSON.stringify({ name: "incr", arguments: { tag: "kept-secret" } });
    id = (await told(owner, "start_countdown", { command, delay: 3_600, description: "kept-secret" })).timer_id;
  });

  it("is seen by its starter and by administrators", async () => {
    const admin = await key("admin", { admin: true });
    for (const client of [owner, local, admin]) {
      const { timers, total_active_timers } = await told(client, "get_active_timers");
      assert.ok(timers.some((timer: Message) => timer.timer_id === id));
      assert.equal(total_active_timers, timers.length);
    }
  });

  for (const who of ["a key for every tool", "a key that may not use its tool", "an agent"]) {
    it(`does not exist for ${who}, through whatever door`, async () => {
      const client = others[who] as RegistryClient;
      for (const path of ["/mcp", "/", "/servers/timers/mcp", ...(who === "an agent" ? ["/agents/curious/mcp"] : [])]) {
        const list = await told(client, "get_active_timers", {}, path);
        assert.deepEqual([list.total_active_timers, list.timers, list.recent], [0, [], []], path);
        await assertUnknown((timer_id) => told(client, "cancel_countdown", { timer_id }, path));
      }
    });
  }

  it("does not exist for them at the tools' own addresses, nor on a socket", async () => {
    const client = others["a key for every tool"] as RegistryClient;
    const { key: token } = await local.done("POST", "/keys", { name: "on a socket" });
    const socket = await openSocket(`${hub.url}/ws`, { headers: { authorization: `Bearer ${token}` } });
    await assertUnknown(async (timer_id) => {
      const params = { name: "timer.cancel_countdown", arguments: { timer_id } };
      const { result } = await socket.ask({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      return JSON.parse(textIn(result));
    });
    socket.socket.close();
    await assertUnknown(async (timer_id) => {
      const { status, text } = await client.post("/openapi/tools/timer.cancel_countdown", { timer_id });
      assert.equal(status, 200, text);
      return JSON.parse(text);
    });
    const list = await client.post("/openapi/tools/timer.get_active_timers", {});
    assert.ok(!list.text.includes("kept-secret"), list.text);
  });

  it("does not exist for another's device", async () => {
    const device = await dialIn("another's");
    const list = JSON.parse(textIn(await device.call("timer.get_active_timers")));
    assert.deepEqual([list.total_active_timers, list.timers, list.recent], [0, [], []]);
    await assertUnknown(async (timer_id) =>
      JSON.parse(textIn(await device.call("timer.cancel_countdown", { timer_id }))),
    );
    await device.close();
  });

  it("is cancelled by its starter, and another's by an administrator", async () => {
    const another = (await order(owner, "never", "/mcp", 3_600)).timer_id;
    assert.equal((await told(owner, "cancel_countdown", { timer_id: id })).success, true);
    assert.equal((await told(local, "cancel_countdown", { timer_id: another })).success, true);
  });

  /** The same words as for a number that no timer has. */
  async function assertUnknown(cancel: (timerId: number) => Promise<Message>): Promise<void> {
    const [real, none] = [await cancel(id), await cancel(1_000_000)];
    assert.equal(real.success, false);
    assert.equal(JSON.stringify(real).replaceAll(`${id}`, "N"), JSON.stringify(none).replaceAll("1000000", "N"));
  }
});

const FIXED = { fixedArguments: { tag: "by-link" } };

/** As another process would do it: no command changes what a key is for. */
function narrow(name: string, allow: readonly string[]): void {
  const database = new DatabaseSync(join(hub.folder, "data", "zaguan.db"));
  database.prepare("UPDATE api_keys SET allow = ? WHERE name = ?").run(JSON.stringify(allow), name);
  database.close();
}
