/**
 * `POST /mcp/servers/preview` at a real hub: what a server would bring, told before it is registered; and nothing left of it
 * afterwards, neither in the registry nor as a process or a socket.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Message } from "../support/line-rpc.ts";
import { freePort } from "../support/mqtt/mosquitto.ts";
import { until } from "../support/processes.ts";
import { fieldsIn, RegistryClient } from "../support/registry-client.ts";
import { always, greeted, SEED_TOOL, StandIn, silent } from "../support/registry-servers.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const LEDGER_SERVER = fileURLToPath(new URL("../support/ledger-server.mjs", import.meta.url));
const MODERN_SERVER = `import { createInterface } from "node:readline";
const meta = { "io.modelcontextprotocol/serverInfo": { name: "modern", version: "2" } };
const answers = {
  "server/discover": { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, _meta: meta,
    ttlMs: 1000, cacheScope: "private" },
  "tools/list": { resultType: "complete", tools: [{ name: "now", inputSchema: { type: "object" } }], ttlMs: 1000,
    cacheScope: "private" },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const said = answers[method] ? { result: answers[method] } : { error: { code: -32601, message: "no" } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
}).on("close", () => process.exit(0));`;

const HANGING_SERVER = `require("node:fs").writeFileSync(process.argv[1], String(process.pid)); setInterval(() => {}, 1000);`;

/** Enough for whoever answers at all, on any machine. */
const LIMIT_SECONDS = 6;
const GIVEN_UP = new RegExp(`within ${LIMIT_SECONDS} s`);

let hub: SpawnedZaguan;
let local: RegistryClient;
let standIn: StandIn;
/** At the start. */
let processes: number;

before(async () => {
  standIn = await StandIn.start();
  const config = {
    auth: { allowedCommands: [process.execPath] },
    limits: { discoverySeconds: LIMIT_SECONDS, graceSeconds: 1 },
  };
  hub = await spawnZaguan({ config });
  local = new RegistryClient(hub.url);
  writeFileSync(join(hub.folder, "modern.mjs"), MODERN_SERVER);
  // A helper of the hub's own is there from the first program on.
  await preview({ command: process.execPath, args: ["modern.mjs"] });
  await until("the helper is alone", () => hub.descendants().length <= 1);
  processes = hub.descendants().length;
});
after(async () => {
  await hub.stop();
  await standIn.close();
});

const post = (body: object, client = local) => client.post("/mcp/servers/preview", { name: "new", ...body });

async function preview(body: object): Promise<Message> {
  const { status, text, body: told } = await post(body);
  assert.equal(status, 200, text);
  return told;
}

const namesIn = ({ tools }: Message): string[] => tools.map(({ name }: Message) => name);
const noneIsLeft = () => until("no process is left", () => hub.descendants().length === processes);

async function assertNothingKept(): Promise<void> {
  const servers: Message[] = await local.done("GET", "/mcp/servers");
  assert.deepEqual(
    servers.map(({ name }) => name),
    ["house"],
  );
  assert.equal((await local.names("/mcp")).length, 6);
}

describe("a preview", () => {
  it("shows the tools of a server that lists them without a handshake", async () => {
    const told = await preview({ baseUrl: standIn.url });
    assert.deepEqual([told.ok, told.nameTaken, told.error], [true, false, null]);
    assert.deepEqual([told.transport, told.revision, told.serverInfo], ["bare JSON-RPC", null, null]);
    assert.deepEqual(told.tools, [{ name: SEED_TOOL.name, description: SEED_TOOL.description }]);
    assert.ok(told.steps.length >= 2 && Number.isInteger(told.ms));
    await assertNothingKept();
  });

  it("shows who a server is, and which revision it speaks", async () => {
    const socket = await StandIn.start({ http: always(404), frames: greeted });
    const told = await preview({ baseUrl: socket.url });
    assert.deepEqual([told.ok, told.transport, told.revision], [true, "WebSocket at /ws", "2024-11-05"]);
    assert.deepEqual(told.serverInfo, { name: "stand-in", version: "1" });
    assert.deepEqual(namesIn(told), [SEED_TOOL.name]);
    await socket.close();
  });

  it("starts a program and ends it again, of either era", async () => {
    const older = await preview({ command: process.execPath, args: [LEDGER_SERVER, "ledger"] });
    assert.deepEqual([older.ok, older.transport, older.revision], [true, "stdio", "2025-11-25"]);
    assert.equal(older.serverInfo.name, "ledger");
    assert.ok(namesIn(older).includes("whoami"));
    const newer = await preview({ command: process.execPath, args: ["modern.mjs"] });
    assert.deepEqual([newer.revision, newer.serverInfo.name, namesIn(newer)], ["2026-07-28", "modern", ["now"]]);
    await noneIsLeft();
    await assertNothingKept();
  });

  it("brings the credentials to the server that it would bring", async () => {
    const before = standIn.told.length;
    await preview({ baseUrl: standIn.url, authType: "apikey", credentials: "secret", headers: { "x-more": "1" } });
    const told = standIn.told.slice(before);
    assert.ok(
      told.some(({ method }) => method === "tools/list"),
      "it was asked for its tools",
    );
    for (const { headers } of told) assert.deepEqual([headers["x-api-key"], headers["x-more"]], ["secret", "1"]);
  });

  it("tells that the name is taken, and shows the server all the same", async () => {
    await local.done("POST", "/mcp/servers", { name: "Taken", baseUrl: standIn.url });
    for (const name of ["Taken", "taken"]) {
      const told = await preview({ name, baseUrl: standIn.url });
      assert.deepEqual([told.ok, told.nameTaken, namesIn(told)], [true, true, [SEED_TOOL.name]]);
    }
    await local.done("DELETE", "/mcp/servers/Taken");
  });

  it("leaves no connection open", async () => {
    await preview({ baseUrl: standIn.url });
    await until("no socket is open", () => socketsTo(standIn.port) === 0);
  });
});

describe("a preview of a server that cannot be had", () => {
  it("tells what was tried and why it failed, in the caller's language", async () => {
    const port = await freePort();
    const { status, body } = await local.post(
      "/mcp/servers/preview",
      { name: "new", baseUrl: `http://127.0.0.1:${port}/mcp` },
      { "accept-language": "es" },
    );
    assert.deepEqual([status, body.ok, body.tools, body.transport], [200, false, [], null]);
    assert.match(body.error, /^No se pudieron descubrir herramientas del servidor new/);
    assert.ok(body.steps.length > 0);
    for (const step of body.steps) assert.deepEqual(Object.keys(step), ["attempt", "atMs", "transport", "outcome"]);
  });

  it("gives up on one that hangs, in the time of a discovery", async () => {
    const hangs = await StandIn.start({ http: silent });
    const told = await preview({ baseUrl: hangs.url });
    assert.equal(told.ok, false);
    assert.match(told.error, GIVEN_UP);
    assert.equal(told.steps.at(-1).outcome, `given up after ${LIMIT_SECONDS} s`);
    await until("no socket is open", () => socketsTo(hangs.port) === 0);
    await hangs.close();
  });

  it("understands no garbage, and repeats none", async () => {
    for (const garbage of ["<html>hunter2</html>", '{"jsonrpc":"2.0","id":1,"result":"hunter2"}', "[]", "\u0000"]) {
      const strange = await StandIn.start({ http: () => garbage });
      const { status, text, body } = await post({ baseUrl: strange.url });
      assert.deepEqual([status, body.ok], [200, false], text);
      assert.doesNotMatch(text, /hunter2/);
      await strange.close();
    }
  });

  it("ends a program that says nothing, or ends by itself, or is none", async () => {
    const programs = [
      [["-e", HANGING_SERVER, "pid"], GIVEN_UP],
      [["-e", "process.exit(7)"], /code 7/],
      [["-e", "console.log('garbage'); setInterval(() => {}, 1000)"], /./],
    ] as const;
    const all = await Promise.all(programs.map(([args]) => preview({ command: process.execPath, args })));
    for (const [index, { ok, error }] of all.entries()) {
      assert.equal(ok, false);
      assert.match(error, programs[index]?.[1] ?? /^$/);
    }
    await noneIsLeft();
    await assertNothingKept();
  });

  it("ends with its caller, and takes the program along", async () => {
    const leaving = new AbortController();
    const pidFile = join(hub.folder, "left");
    const asking = fetch(`${hub.url}/mcp/servers/preview`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "new", command: process.execPath, args: ["-e", HANGING_SERVER, pidFile] }),
      signal: leaving.signal,
    });
    asking.catch(() => {});
    await until("the program runs", () => textIn(pidFile) !== "");
    leaving.abort();
    await assert.rejects(asking);
    await noneIsLeft();
  });
});

describe("who may see a preview", () => {
  const keyed = async (name: string, rights: object = {}) =>
    local.withKey((await local.done("POST", "/keys", { name, ...rights })).key);

  it("is who may register, and no private address is asked for others", async () => {
    const [plain, limited, admin] = [
      await keyed("plain"),
      await keyed("limited", { allow: ["*"] }),
      await keyed("admin", { admin: true }),
    ];
    await local.agent("ana", "house__get_presence");
    const ana = local.withKey((await local.done("POST", "/agents/ana/key")).key);
    const before = standIn.told.length;
    for (const [client, body, expected] of [
      [limited, { baseUrl: "https://mcp.example.com" }, "FORBIDDEN"],
      [ana, { baseUrl: "https://mcp.example.com" }, "FORBIDDEN"],
      [plain, { baseUrl: "https://mcp.example.com" }, "FORBIDDEN"],
      [admin, { baseUrl: standIn.url }, "FORBIDDEN_ADDRESS"],
      [admin, { baseUrl: "http://10.1.2.3/mcp" }, "FORBIDDEN_ADDRESS"],
      [admin, { baseUrl: "http://[::1]:1/" }, "FORBIDDEN_ADDRESS"],
      [admin, { baseUrl: "http://localhost:1/" }, "FORBIDDEN_ADDRESS"],
      [plain, { command: process.execPath }, "FORBIDDEN"],
      [admin, { command: "sh" }, "COMMAND_NOT_ALLOWED"],
      [local, { command: "sh" }, "COMMAND_NOT_ALLOWED"],
      [admin, { command: process.execPath, env: { NODE_OPTIONS: "--version" } }, "COMMAND_NOT_ALLOWED"],
    ] as const) {
      const { status, body: problem } = await post(body, client);
      assert.deepEqual([status, problem.code], [403, expected], JSON.stringify(body));
    }
    assert.equal(standIn.told.length, before);
    assert.equal((await post({ command: process.execPath, args: ["modern.mjs"] }, admin)).body.ok, true);
    await noneIsLeft();
  });

  it("must say of the server what registering asks for", async () => {
    for (const [body, fields] of [
      [{}, ["name"]],
      [{ name: "", baseUrl: standIn.url }, ["name"]],
      [{ name: "house", baseUrl: standIn.url }, ["name"]],
      [{ name: "new" }, ["baseUrl"]],
      [{ name: "new", baseUrl: standIn.url, command: "x" }, ["command"]],
      [{ name: "new", baseUrl: "ftp://x" }, ["baseUrl"]],
      [{ name: "new", baseUrl: standIn.url, authType: "x", nmae: 1 }, ["authType", "nmae"]],
    ] as const) {
      const answer = await local.post("/mcp/servers/preview", body);
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(fieldsIn(answer), fields, answer.text);
    }
    for (const body of ["", "{", "[]", '"x"'])
      assert.equal((await local.post("/mcp/servers/preview", body)).status, 400, body);
  });

  it("does not take the name away from a server that is called so", async () => {
    await local.done("POST", "/mcp/servers", { name: "preview", baseUrl: standIn.url });
    assert.equal((await local.get("/mcp/servers/preview")).body.name, "preview");
    assert.equal((await local.patch("/mcp/servers/preview", { name: "preview" })).status, 200);
    assert.equal((await local.post("/mcp/servers/preview/discover")).status, 200);
    assert.equal((await local.delete("/mcp/servers/preview")).status, 204);
    assert.equal((await local.get("/mcp/servers/preview")).status, 404);
  });
});

/** Established connections to a port of this machine. */
function socketsTo(port: number): number {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "utf8").trim().split("\n").slice(1);
  return rows.filter((row) => row.trim().split(/\s+/)[2] === remote && row.trim().split(/\s+/)[3] === "01").length;
}

function textIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
