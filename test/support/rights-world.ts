/**
 * A real hub that asks for a key, with a key of each kind and one of each thing that can be changed: what the tests of rights
 * ask every route of every door with.
 */
import assert from "node:assert/strict";
import { WebSocket } from "ws";
import type { Right } from "../../src/contract/operation.ts";
import { RegistryClient } from "./registry-client.ts";
import { StandIn } from "./registry-servers.ts";
import { type RightRow, tableOfRights } from "./rights-table.ts";
import { makeKey } from "./seed-003.ts";
import { toolBody } from "./seed-004.ts";
import { type SpawnedZaguan, spawnZaguan } from "./spawn-zaguan.ts";

export const KINDS = ["none", "revoked", "limited", "agent", "plain", "admin"] as const;
export type Kind = (typeof KINDS)[number];

export const HOLDERS: Readonly<Record<Right, readonly Kind[]>> = {
  nobody: KINDS,
  see: ["limited", "agent", "plain", "admin"],
  call: ["limited", "agent", "plain", "admin"],
  unlimited: ["plain", "admin"],
  admin: ["admin"],
};

const TABLE: readonly RightRow[] = await tableOfRights();
export const ROUTES: readonly RightRow[] = TABLE.filter(({ method }) => method !== "WS");
export const SOCKETS: readonly RightRow[] = TABLE.filter(({ method }) => method === "WS");

/** One of each thing that can be changed. */
export interface Things {
  readonly name: string;
  readonly tool: string;
  readonly bindingId: string;
  readonly apiTool: Readonly<Record<string, unknown>>;
}

const DOCUMENT = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://pets.example" }],
  paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "Pets." } } } } },
});

export class RightsWorld {
  readonly hub: SpawnedZaguan;
  readonly admin: RegistryClient;
  readonly keys: Partial<Record<Kind, string>> = {};
  readonly #server: StandIn;
  #made = 0;

  static async open(): Promise<RightsWorld> {
    const server = await StandIn.start();
    const hub = await spawnZaguan({ config: { auth: { requireKey: true } }, args: ["--allow-private"] });
    const key = await makeKey(hub, "admin", "--admin");
    const world = new RightsWorld(hub, server, new RegistryClient(hub.url).withKey(key));
    world.keys.admin = key;
    await world.#makeKeys();
    return world;
  }

  private constructor(hub: SpawnedZaguan, server: StandIn, admin: RegistryClient) {
    this.hub = hub;
    this.#server = server;
    this.admin = admin;
  }

  async #makeKeys(): Promise<void> {
    const { admin, keys } = this;
    const keyOf = async (name: string, more: object = {}) => (await admin.done("POST", "/keys", { name, ...more })).key;
    keys.plain = await keyOf("plain");
    keys.limited = await keyOf("limited", { allow: ["get_*"] });
    keys.revoked = await keyOf("revoked", { admin: true });
    await admin.done("DELETE", "/keys/revoked");
    await admin.agent("ana", "house__get_presence");
    keys.agent = (await admin.done("POST", "/agents/ana/key")).key;
  }

  /** What an administrator does is done to things of its own. */
  async makeThings(): Promise<Things> {
    const { admin } = this;
    const name = `one-${++this.#made}`;
    const [found] = await admin.found(name, this.#server.url);
    const tool = `${name}__${found?.["name"]}`;
    const agent = await admin.agent(name, tool);
    const [binding] = await admin.done("GET", `/agents/${agent["id"]}/bindings`);
    const apiTool = toolBody(`tool-${this.#made}`, "/v1", { baseUrl: this.#server.url });
    await admin.done("POST", "/admin/tools/api", apiTool);
    await admin.done("POST", "/admin/apis", { name: `api-${name}`, document: DOCUMENT });
    await admin.done("POST", "/keys", { name });
    return { name, tool, bindingId: binding["id"], apiTool };
  }

  headersOf(kind: Kind): Record<string, string> {
    const key = this.keys[kind];
    return key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  /** A request of this row that would do something; a stream is left as soon as it has begun. */
  async ask(row: RightRow, things: Things, headers: Record<string, string>, query = "") {
    const left = new AbortController();
    const body = this.#bodyFor(row, things);
    const response = await fetch(`${this.hub.url}${filled(row.path, namesFor(row.path, things))}${query}`, {
      method: row.method,
      signal: left.signal,
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    const text = isStream ? "" : await response.text();
    left.abort();
    return { status: response.status, text };
  }

  dial(row: RightRow, headers: Record<string, string>, query = ""): Promise<{ status: number; text: string }> {
    return dialled(`${this.hub.url}${filled(row.path, { name: "house", agent: "ana" })}${query}`, headers);
  }

  async close(): Promise<void> {
    await this.hub.stop();
    await this.#server.close();
  }

  #bodyFor({ method, path }: RightRow, { name, apiTool }: Things): object | undefined {
    if (method !== "PUT" && method !== "PATCH" && method !== "POST") return undefined;
    const fresh = `${name}-new`;
    const provider = {
      name,
      code: fresh,
      baseUrl: this.#server.url,
      authenticationType: "NONE",
      apiKeyLocation: "NONE",
    };
    const bodies: Readonly<Record<string, object>> = {
      "POST /mcp/servers": { name: fresh, baseUrl: this.#server.url },
      "POST /mcp/servers/preview": { name: fresh, baseUrl: this.#server.url },
      "PATCH /mcp/servers/{id}": { description: "changed", baseUrl: `${this.#server.url}/elsewhere` },
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
}

/** What stands in a path for its placeholders. */
function namesFor(path: string, { name, tool, bindingId, apiTool }: Things): Readonly<Record<string, string>> {
  const ids = { "/mcp/tools": tool, "/admin/tools/api": String(apiTool["code"]), "/admin/apis": `api-${name}` };
  const [, id = name] = Object.entries(ids).find(([prefix]) => path.startsWith(prefix)) ?? [];
  return { id, bindingId, name: "house", agent: "ana", tool: "get_presence", file: "start.js" };
}

function filled(path: string, names: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? "early.ts"));
}

/** By the table, and with the words for it. */
export function assertAnswer(row: RightRow, kind: Kind, status: number, text: string): void {
  const isRefused = status === 401 || status === 403;
  const expected = HOLDERS[row.needs].includes(kind);
  assert.equal(!isRefused, expected, `${kind} at ${row.method} ${row.path}: ${status} ${text.slice(0, 200)}`);
  if (!isRefused) return;
  const isUnknown = kind === "none" || kind === "revoked";
  assert.equal(status, isUnknown ? 401 : 403, `${kind} at ${row.method} ${row.path}`);
  assert.match(text, isUnknown ? /"code":"(?:UNAUTHORIZED|UNKNOWN_KEY)"/ : /"code":"FORBIDDEN"/);
}

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
