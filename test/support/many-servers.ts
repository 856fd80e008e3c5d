/** One local HTTP server that plays any number of MCP servers, one at each path, and a registry that is full of them. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inFlight, RpcOverHttp } from "./rpc-over-http.ts";

export const TOOLS_OF_EACH = 10;

const VERBS = ["turn on", "turn off", "dim", "read", "reset", "lock", "unlock", "name", "list", "watch"];
const THINGS = ["lamp", "blind", "boiler", "door", "speaker", "camera", "sensor"];

export interface Player {
  readonly url: string;
  /** How many connections were opened to it. */
  connections(): number;
  /** The names of the servers that were asked anything, in the order of their first requests. */
  asked(): readonly string[];
  /** What was counted so far counts no more; connections that are open are cut. */
  forget(): void;
  stop(): Promise<void>;
}

export async function playServers(): Promise<Player> {
  let connections = 0;
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    asked.add(nameIn(request));
    void play(request, response);
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    asked: () => [...asked],
    forget: () => {
      server.closeAllConnections();
      connections = 0;
      asked.clear();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The name of a server by its number. */
export function nameOf(number: number): string {
  return `s${String(number).padStart(4, "0")}`;
}

/** What the server of that name offers. */
export function toolsOf(name: string): readonly object[] {
  const thing = THINGS[Number(name.slice(1)) % THINGS.length] ?? "lamp";
  return VERBS.slice(0, TOOLS_OF_EACH).map((verb, place) => ({
    name: `${name}_${verb.replace(" ", "_")}_${thing}`,
    description: `Can ${verb} the ${thing} of room ${Number(name.slice(1))}; ${place === 2 ? "light in kelvin" : "as usual"}`,
    inputSchema: {
      type: "object",
      properties: { room: { type: "string", description: "Which room" }, level: { type: "integer", minimum: 0 } },
      required: ["room"],
    },
  }));
}

/** Registers so many servers over the hub's own API, and has it ask each for its tools. */
export async function fillRegistry(hub: string, player: string, servers: number, first = 0): Promise<void> {
  const client = new RpcOverHttp(hub, 4);
  await inFlight(servers, 4, async (number) => {
    const name = nameOf(first + number);
    const made = await client.send("POST", "/mcp/servers", JSON.stringify({ name, baseUrl: `${player}/${name}` }));
    assert.equal(made.status, 201, made.text);
    const found = await client.send("POST", `/mcp/servers/${name}/discover`);
    assert.equal(found.status, 200, found.text);
  });
  await client.close();
}

/** What the hub offers to a client of MCP, which reads it page by page. */
export async function offeredTools(client: RpcOverHttp): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let cursor: unknown;
  do {
    const { reply } = await client.rpc({ id: 1, method: "tools/list", params: { cursor } });
    assert.ok(reply.result, JSON.stringify(reply));
    all.push(...(reply.result["tools"] as readonly unknown[]));
    cursor = reply.result["nextCursor"];
  } while (cursor !== undefined);
  return all;
}

async function play(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString();
  if (request.method !== "POST") return void response.writeHead(405).end();
  const { id, method } = JSON.parse(body) as { id?: unknown; method?: string };
  if (id === undefined) return void response.writeHead(202).end();
  const answer = answerTo(method, nameIn(request));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}

function nameIn({ url = "/" }: IncomingMessage): string {
  return url.slice(1);
}

function answerTo(method: string | undefined, name: string): object {
  if (method === "initialize") {
    const serverInfo = { name, version: "1" };
    return { result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } };
  }
  if (method === "tools/list") return { result: { tools: toolsOf(name) } };
  if (method === "tools/call") return { result: { content: [{ type: "text", text: name }] } };
  return { error: { code: -32601, message: "Method not found" } };
}
