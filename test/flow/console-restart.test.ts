/** `POST /mcp/servers/{id}/restart` at a real hub, for servers of every origin; and what the view of a server tells now. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { dialFirmware } from "../support/devices/index.ts";
import type { Message } from "../support/line-rpc.ts";
import { isRunning, until } from "../support/processes.ts";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import { always, greeted, SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { sourceNameOf, untilListed } from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const LEDGER_SERVER = fileURLToPath(new URL("../support/ledger-server.mjs", import.meta.url));
/** What the system tells of its process; the one that fails for a while has the path in its code, and is another. */
const LEDGER_COMMAND = `${process.execPath}\0${LEDGER_SERVER}\0`;
/** So long the hub waits for a restart before it answers. */
const ANSWER_MS = 5_000;
/** Ends at once as long as a file is missing. */
const FRAIL = `const { existsSync } = require("node:fs");
if (!existsSync(process.argv[1])) process.exit(3);
process.argv[2] = process.argv[1];
import(${JSON.stringify(LEDGER_SERVER)});`;

let hub: SpawnedZaguan;
let local: RegistryClient;
/** Asked for at the start: it takes its time. */
let hanging: Promise<Answered>;
let ledgerFile: string;
let mendFile: string;

const CONFIG = {
  mcpServers: {
    hangs: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] },
    ledger: { command: process.execPath, args: [LEDGER_SERVER, "ledger"] },
    frail: { command: process.execPath, args: ["-e", FRAIL, "mended"] },
  },
  apiTools: {
    weather: {
      baseUrl: "https://weather.example",
      tools: [{ name: "weather", description: "The weather.", method: "GET", path: "/weather" }],
    },
  },
  devices: { timers: true },
  limits: { graceSeconds: 1, listWaitSeconds: 1 },
};

before(async () => {
  hub = await spawnZaguan({ config: CONFIG });
  ledgerFile = join(hub.folder, "ledger");
  mendFile = join(hub.folder, "mended");
  local = new RegistryClient(hub.url);
  hanging = answered("hangs");
  await untilListed(local, "whoami");
});
after(() => hub.stop());

const answered = (name: string, client = local): Promise<Answered> => client.post(`/mcp/servers/${name}/restart`);
const viewOf = (name: string): Promise<Message> => local.done("GET", `/mcp/servers/${name}`);
const pid = async (): Promise<number> => Number(await local.textOf("/mcp", "whoami", { tag: "who" }));
const ran = (tag: string): number =>
  readFileSync(ledgerFile, "utf8")
    .split("\n")
    .filter((line) => line.startsWith(`${tag} `)).length;

/** With what became of it, where that took longer than the answer waits for it. */
async function restart(name: string, client = local): Promise<Answered> {
  const began = performance.now();
  const answer = await answered(name, client);
  if (answer.body?.state !== "starting" || performance.now() - began < ANSWER_MS) return answer;
  const body = await askUntil(
    `${name} has started`,
    () => viewOf(name),
    ({ state }) => state !== "starting",
  );
  return { ...answer, body };
}

describe("restarting a program", () => {
  it("ends its process and starts another; the answer is how it stands then", async () => {
    const before = await pid();
    const { restarts } = await viewOf("ledger");
    const { status, body } = await restart("ledger");
    assert.equal(status, 200);
    assert.deepEqual([body.name, body.state, body.restarts], ["ledger", "ready", restarts + 1]);
    assert.equal(isRunning(before), false);
    assert.notEqual(await pid(), before);
    assert.equal((await restart(body.id)).body.restarts, restarts + 2);
  });

  it("leaves nobody in doubt whose call was under way: its outcome is unknown, and it is not repeated", async () => {
    const call = local.call("/mcp", "sleep", { tag: "cut off", ms: 60_000 });
    await until("the call runs", () => ran("cut off") === 1);
    assert.equal((await restart("ledger")).status, 200);
    const { body } = await call;
    assert.deepEqual([body.error?.data.code, body.error?.data.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
    await local.textOf("/mcp", "echo", { tag: "afterwards" });
    assert.deepEqual([ran("cut off"), ran("afterwards")], [1, 1]);
  });

  it("is done once for all who want it at the same time", async () => {
    const { restarts } = await viewOf("ledger");
    const all = await Promise.all([1, 2, 3].map(() => restart("ledger")));
    for (const { status, body } of all)
      assert.deepEqual([status, body.state, body.restarts], [200, "ready", restarts + 1]);
    const running = hub.descendants().filter((child) => commandOf(child).startsWith(LEDGER_COMMAND));
    assert.equal(running.length, 1);
  });

  it("brings one back that had failed, without waiting for its next try", async () => {
    const failed = await restart("frail");
    assert.deepEqual([failed.status, failed.body.state], [200, "waiting"]);
    assert.match(failed.body.lastError, /code 3/);
    writeFileSync(mendFile, "");
    const { status, body } = await restart("frail");
    assert.deepEqual([status, body.state, body.status], [200, "ready", "active"]);
    rmSync(mendFile);
  });
});

describe("restarting what is no program", () => {
  it("connects anew to a registered server", async () => {
    const socket = await StandIn.start({ http: always(404), frames: greeted, socketPath: "/" });
    await local.found("socket", socket.url);
    assert.equal(await local.textOf("/mcp", `socket__${SEED_TOOL.name}`, { prompt: "a" }), `${SEED_TOOL.name}: a`);
    const greetings = () => socket.told.filter(({ method }) => method === "initialize").length;
    const before = greetings();
    const { status, body } = await restart("socket");
    assert.deepEqual([status, body.state, body.revision], [200, "ready", "2024-11-05"]);
    assert.ok(greetings() > before);
    assert.equal(await local.textOf("/mcp", `socket__${SEED_TOOL.name}`, { prompt: "b" }), `${SEED_TOOL.name}: b`);
    await local.done("DELETE", "/mcp/servers/socket");
    await socket.close();
  });

  it("opens the house, an API or an ability anew", async () => {
    await local.textOf("/mcp", "set_light_state", { name: "salon", on: true });
    for (const name of ["house", "weather", "timers"]) {
      const { status, body } = await restart(name);
      assert.deepEqual([status, body.state, body.revision], [200, "ready", null], name);
    }
    assert.match(await local.textOf("/mcp", "list_lights_on", {}), /salon/);
  });

  it("greets a device anew, on the socket that it has", async () => {
    const device = await dialFirmware({ url: hub.url });
    const [tool] = device.mcp.tools;
    await untilListed(local, tool?.name ?? "");
    const name = sourceNameOf(device.id);
    await untilEntered(name);
    const { status, body } = await restart(name);
    assert.deepEqual([status, body.state, body.origin, body.restarts], [200, "ready", "device", 1]);
    assert.equal(device.frames.ending, undefined);
    await device.close();
    await until("the device is gone", () => device.frames.ending !== undefined);
    await untilStatus(name, 404);
    assert.equal((await restart(name)).status, 404);
  });
});

describe("restarting a program that does not come up", () => {
  it("is answered with the state that it is in, and the next restart ends it", async () => {
    const { status, body } = await hanging;
    assert.deepEqual([status, body.state], [200, "starting"]);
    const [first] = hub.descendants().filter((child) => commandOf(child).includes("setInterval"));
    assert.ok(first);
    const leaving = new AbortController();
    const again = fetch(`${hub.url}/mcp/servers/hangs/restart`, { method: "POST", signal: leaving.signal });
    await until("the hanging process has ended", () => !isRunning(first));
    leaving.abort();
    await assert.rejects(again);
  });
});

describe("who may restart", () => {
  it("are administrators, who learn what is not there; all others learn nothing", async () => {
    const keyed = async (name: string, rights: object = {}) =>
      local.withKey((await local.done("POST", "/keys", { name, ...rights })).key);
    const [plain, limited, admin] = [
      await keyed("plain"),
      await keyed("limited", { allow: ["ledger__*"] }),
      await keyed("admin", { admin: true }),
    ];
    await local.agent("ana", "ledger__whoami");
    const ana = local.withKey((await local.done("POST", "/agents/ana/key")).key);
    const { restarts } = await viewOf("ledger");
    for (const client of [plain, limited, ana]) {
      for (const name of ["ledger", "nobody"]) {
        const { status, body } = await restart(name, client);
        assert.deepEqual([status, body.code], [403, "FORBIDDEN"]);
      }
    }
    assert.equal((await viewOf("ledger")).restarts, restarts);
    for (const name of ["nobody", "constructor", "%00"]) {
      const { status, body } = await restart(name, admin);
      assert.deepEqual([status, body.code], [404, "NO_SUCH"], name);
    }
    assert.equal((await restart("ledger", admin)).status, 200);
    const revisions = [plain, limited].map(async (client) => (await client.get("/mcp/servers/ledger")).body.revision);
    assert.deepEqual(await Promise.all(revisions), ["2025-11-25", null]);
  });
});

describe("the view of a server", () => {
  it("tells the revision that it speaks, and last spoke; none of those that speak no MCP", async () => {
    await local.textOf("/mcp", "whoami", { tag: "who" });
    assert.equal((await viewOf("ledger")).revision, "2025-11-25");
    for (const name of ["house", "weather", "hangs"]) assert.equal((await viewOf(name)).revision, null, name);
    const listed: Message[] = await local.done("GET", "/mcp/servers");
    assert.deepEqual(
      listed.filter(({ revision }) => revision !== null).map(({ name }) => name),
      ["ledger", "frail"],
    );
  });

  it("tells what stands in the file as configured, the house as built in", async () => {
    const listed: Message[] = await local.done("GET", "/mcp/servers");
    const origins = Object.fromEntries(listed.map(({ name, origin }) => [name, origin]));
    assert.deepEqual(origins, {
      house: "built-in",
      timers: "configured",
      weather: "configured",
      hangs: "configured",
      ledger: "configured",
      frail: "configured",
    });
  });
});

describe("a tool whose name another server has", () => {
  let other: StandIn;
  before(async () => {
    other = await StandIn.start({ tools: [{ ...SEED_TOOL, name: "whoami" }, SEED_TOOL] });
    await local.found("other", other.url);
  });
  after(() => other.close());

  it("is shown with the name by which it is called, for as long as that is so", async () => {
    const shown = async (): Promise<Message[]> =>
      (await local.done("GET", "/mcp/tools?serverId=other")).map(({ name, publicName }: Message) => [name, publicName]);
    assert.deepEqual(await shown(), [
      ["whoami", "other__whoami"],
      [SEED_TOOL.name, undefined],
    ]);
    const { headers, body } = await local.get("/mcp/tools/all");
    const [{ id }] = body.filter(({ publicName }: Message) => publicName === "other__whoami");
    assert.equal((await local.get(`/mcp/tools/${id}`)).body.publicName, "other__whoami");
    assert.equal(await local.textOf("/mcp", "other__whoami", { prompt: "x" }), "whoami: x");
    const tag = { "if-none-match": headers.get("etag") ?? "" };
    assert.equal((await local.get("/mcp/tools/all", tag)).status, 304);
    hub.writeConfig({ ...CONFIG, mcpServers: {} });
    while ((await viewStatus("ledger")) !== 404) await sleep(20);
    const later = await local.get("/mcp/tools/all", tag);
    assert.equal(later.status, 200);
    assert.ok(!later.text.includes("publicName"));
    assert.deepEqual(await shown(), [
      ["whoami", undefined],
      [SEED_TOOL.name, undefined],
    ]);
    // Who comes back comes last.
    hub.writeConfig({ ...CONFIG, mcpServers: { ledger: CONFIG.mcpServers.ledger } });
    await untilListed(local, "ledger__whoami");
    await local.textOf("/mcp", "ledger__whoami", { tag: "back" });
    while (!(await local.get("/mcp/tools/all", tag)).text.includes('"publicName":"ledger__whoami"')) await sleep(20);
    assert.ok(!(await local.get("/mcp/tools?serverId=other")).text.includes("publicName"));
  });
});

function commandOf(child: number): string {
  try {
    return readFileSync(`/proc/${child}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

async function viewStatus(name: string): Promise<number> {
  return (await local.get(`/mcp/servers/${name}`)).status;
}

async function untilStatus(name: string, status: number): Promise<void> {
  while ((await viewStatus(name)) !== status) await sleep(20);
}

/** The registry is told of a device a moment after it has come. */
function untilEntered(name: string): Promise<void> {
  return untilStatus(name, 200);
}
