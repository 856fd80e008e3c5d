/**
 * Every route of every door, and every operation of `/openapi.json`, at a real hub that asks for a key, with each kind of
 * caller: who has the right by the table gets in, all others are refused, and what was refused has changed nothing. What
 * needs an administrator is really done when one asks for it, so that nothing is refused only because it could not work.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { WebSocket } from "ws";
import type { Right } from "../../src/doors/rights.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { StandIn } from "../support/registry-servers.ts";
import { type RightRow, tableOfRights } from "../support/rights-table.ts";
import { makeKey } from "../support/seed-003.ts";
import { toolBody } from "../support/seed-004.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const KINDS = ["none", "revoked", "limited", "agent", "plain", "admin"] as const;
type Kind = (typeof KINDS)[number];

const HOLDERS: Readonly<Record<Right, readonly Kind[]>> = {
  nobody: KINDS,
  see: ["limited", "agent", "plain", "admin"],
  call: ["limited", "agent", "plain", "admin"],
  unlimited: ["plain", "admin"],
  admin: ["admin"],
};

const TABLE = await tableOfRights();
const ROUTES = TABLE.filter(({ method }) => method !== "WS");
const SOCKETS = TABLE.filter(({ method }) => method === "WS");

let hub: SpawnedZaguan;
let server: StandIn;
let admin: RegistryClient;
const keys: Partial<Record<Kind, string>> = {};
let made = 0;
let shared: Things;

before(async () => {
  server = await StandIn.start();
  hub = await spawnZaguan({ config: { auth: { requireKey: true } }, args: ["--allow-private"] });
  keys.admin = await makeKey(hub, "admin", "--admin");
  admin = new RegistryClient(hub.url).withKey(keys.admin);
  const keyOf = async (name: string, more: object = {}) => (await admin.done("POST", "/keys", { name, ...more })).key;
  keys.plain = await keyOf("plain");
  keys.limited = await keyOf("limited", { allow: ["get_*"] });
  keys.revoked = await keyOf("revoked", { admin: true });
  await admin.done("DELETE", "/keys/revoked");
  await admin.agent("ana", "house__get_presence");
  keys.agent = (await admin.done("POST", "/agents/ana/key")).key;
  shared = await makeThings();
});
after(async () => {
  await hub?.stop();
  await server?.close();
});

/** One of each thing that can be changed. */
interface Things {
  readonly name: string;
  readonly tool: string;
  readonly bindingId: string;
  readonly apiTool: Readonly<Record<string, unknown>>;
}

const DOCUMENT = JSON.stringify({
  ...{ openapi: "3.1.0", info: { title: "Pets", version: "1" }, servers: [{ url: "https://pets.example" }] },
  paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "Pets." } } } } },
});

/** What an administrator does is done to things of its own. */
async function makeThings(): Promise<Things> {
  const name = `one-${++made}`;
  const [found] = await admin.found(name, server.url);
  const tool = `${name}__${found?.["name"]}`;
  const agent = await admin.agent(name, tool);
  const [binding] = await admin.done("GET", `/agents/${agent["id"]}/bindings`);
  const apiTool = toolBody(`tool-${made}`, "/v1", { baseUrl: server.url });
  await admin.done("POST", "/admin/tools/api", apiTool);
  await admin.done("POST", "/admin/apis", { name: `api-${name}`, document: DOCUMENT });
  await admin.done("POST", "/keys", { name });
  return { name, tool, bindingId: binding["id"], apiTool };
}

/** What stands in a path for its placeholders. */
function namesFor(path: string, { name, tool, bindingId, apiTool }: Things): Readonly<Record<string, string>> {
  const ids = { "/mcp/tools": tool, "/admin/tools/api": String(apiTool["code"]), "/admin/apis": `api-${name}` };
  const [, id = name] = Object.entries(ids).find(([prefix]) => path.startsWith(prefix)) ?? [];
  return { id, bindingId, name: "house", agent: "ana", tool: "get_presence", file: "start.js" };
}

function bodyFor({ method, path }: RightRow, { name, apiTool }: Things): object | undefined {
  if (method !== "PUT" && method !== "PATCH" && method !== "POST") return undefined;
  const fresh = `${name}-new`;
  const provider = { name, code: fresh, baseUrl: server.url, authenticationType: "NONE", apiKeyLocation: "NONE" };
  const bodies: Readonly<Record<string, object>> = {
    "POST /mcp/servers": { name: fresh, baseUrl: server.url },
    "POST /mcp/servers/preview": { name: fresh, baseUrl: server.url },
    "PATCH /mcp/servers/{id}": { description: "changed", baseUrl: `${server.url}/elsewhere` },
    "POST /agents": { name: fresh, systemPrompt: "help", autonomy: "Auto" },
    "PATCH /agents/{id}": { description: "changed" },
    "POST /agents/{id}/bindings": { toolId: "house__get_presence", enabled: true },
    "PATCH /agents/{id}/bindings/{bindingId}": { config: null, enabled: false },
    "POST /keys": { name: fresh, admin: true },
    "POST /admin/tools/api": { ...apiTool, code: fresh },
    "PUT /admin/tools/api/{id}": { ...apiTool, description: "changed" },
    "POST /api/import/providers": [{ ...provider, tools: [toolBody(fresh, "/v1")] }],
    "POST /admin/apis": { name: `api-${fresh}`, document: DOCUMENT },
    "POST /admin/apis/preview": { document: DOCUMENT },
    "PATCH /admin/apis/{id}": { enabled: false },
    "POST /admin/apis/{id}/refresh": { document: DOCUMENT },
    "PUT /house/presence": { people: [name] },
  };
  return bodies[`${method} ${path}`] ?? { jsonrpc: "2.0", id: 1, method: "tools/list" };
}

function filled(path: string, names: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? "early.ts"));
}

function headersOf(kind: Kind): Record<string, string> {
  const key = keys[kind];
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

/** A stream is left as soon as it has begun. */
async function ask(kind: Kind, method: string, path: string, body: object | undefined) {
  const left = new AbortController();
  const response = await fetch(`${hub.url}${path}`, {
    ...{ method, signal: left.signal },
    headers: { ...headersOf(kind), ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  const text = isStream ? "" : await response.text();
  left.abort();
  return { status: response.status, text };
}

/** What passes by itself: times, and how a server is at the moment. */
const PASSING = new Set([
  ...["lastUsedUtc", "lastSeenUtc", "updatedUtc", "log", "state", "status", "restarts", "progress", "lastError"],
  ...["kind", "tools", "transport", "revision"],
]);

/** All that others use, as an administrator sees it, by its place. */
async function everything(): Promise<Readonly<Record<string, string>>> {
  const agents = await admin.done("GET", "/agents");
  const servers = await admin.done("GET", "/mcp/servers");
  const places = [
    ...["/agents", "/mcp/servers", "/mcp/tools/all?withMissing=true"],
    ...["/keys", "/admin/tools/api", "/admin/apis", "/house"],
    ...agents.map(({ id }: { id: string }) => `/agents/${id}/bindings`),
    ...servers.map(({ id }: { id: string }) => `/mcp/servers/${id}/discovery`),
  ];
  const seen = await Promise.all(places.map(async (place) => [place, shown(await admin.done("GET", place))]));
  return Object.fromEntries(seen);
}

function shown(told: unknown): string {
  return JSON.stringify(told, (name, value) => (PASSING.has(name) ? undefined : value));
}

function assertAnswer(row: RightRow, kind: Kind, status: number, text: string): void {
  const isRefused = status === 401 || status === 403;
  const expected = HOLDERS[row.needs].includes(kind);
  assert.equal(!isRefused, expected, `${kind} at ${row.method} ${row.path}: ${status} ${text.slice(0, 200)}`);
  if (!isRefused) return;
  const isUnknown = kind === "none" || kind === "revoked";
  assert.equal(status, isUnknown ? 401 : 403, `${kind} at ${row.method} ${row.path}`);
  assert.match(text, isUnknown ? /"code":"(?:UNAUTHORIZED|UNKNOWN_KEY)"/ : /"code":"FORBIDDEN"/);
}

describe("each kind of caller, by the table of rights", () => {
  it("meets the same table in /openapi.json", async () => {
    const { paths } = (await admin.get("/openapi.json")).body;
    const described = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.entries<{ "x-needs": Right }>(methods as never).map(
        ([method, told]) => `${method.toUpperCase()} ${path} ${told["x-needs"]}`,
      ),
    );
    const declared = new Set(ROUTES.map(({ method, path, needs }) => `${method} ${path} ${needs}`));
    assert.ok(described.length > 60);
    assert.deepEqual(
      described.filter((one) => !declared.has(one)),
      [],
    );
  });

  for (const row of ROUTES) {
    it(`${row.method} ${row.path} needs ${row.needs}`, async () => {
      const things = row.needs === "admin" ? await makeThings() : shared;
      const path = filled(row.path, namesFor(row.path, things));
      const body = bodyFor(row, things);
      const holders = HOLDERS[row.needs];
      const before = await everything();
      for (const kind of KINDS.filter((one) => !holders.includes(one))) {
        const { status, text } = await ask(kind, row.method, path, body);
        assertAnswer(row, kind, status, text);
      }
      assert.deepEqual(await everything(), before);
      for (const kind of holders) {
        const { status, text } = await ask(kind, row.method, path, body);
        assertAnswer(row, kind, status, text);
        if (row.needs === "admin") assert.ok(status >= 200 && status < 300, `${status} ${text}`);
      }
    });
  }

  for (const row of SOCKETS) {
    it(`a WebSocket at ${row.path} needs ${row.needs}`, async () => {
      const path = filled(row.path, { name: "house", agent: "ana" });
      for (const kind of KINDS) {
        const { status, text } = await dialled(`${hub.url}${path}`, headersOf(kind));
        assertAnswer(row, kind, status, text);
      }
    });
  }

  it("an agent's place is for itself, and for those who may use everything", async () => {
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    await admin.agent("another");
    for (const [kind, agent, expected] of [
      ["agent", "ana", 200],
      ["plain", "ana", 200],
      ["limited", "ana", 404],
      ["agent", "another", 404],
    ] as const) {
      const { status } = await ask(kind, "POST", `/agents/${agent}/mcp`, list);
      assert.equal(status, expected, `${kind} as ${agent}`);
    }
  });
});

/** 101 where a socket opened, else the plain answer. */
function dialled(url: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace("http", "ws"), { headers });
    socket.on("error", reject);
    socket.on("open", () => {
      socket.terminate();
      resolve({ status: 101, text: "" });
    });
    socket.on("unexpected-response", (_, response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
  });
}
