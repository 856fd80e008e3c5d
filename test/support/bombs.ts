/** Messages that are small to send and large to read: nested, wide, repeated, compressed. And a server that answers with such. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Random } from "./seed.ts";

/** Values of JSON that must not be taken apart. `size` from 0 to just below 1 makes each as large as it gets. */
const VALUES: Readonly<Record<string, (size: number) => string>> = {
  "nested lists": (size) => nested("[", "]", between(65, 2_000_000, size)),
  "nested objects": (size) => nested('{"a":', "}", between(65, 100_000, size), "0"),
  "both in turn": (size) => nested('[{"a":', "}]", between(33, 100_000, size), "0"),
  "nested and not closed": (size) => "[".repeat(between(65, 1_000_000, size)),
  "a long list": (size) => `[${"0,".repeat(between(10_001, 1_000_000, size))}0]`,
  "a list of objects": (size) => `[${"{},".repeat(between(10_001, 900_000, size))}{}]`,
  "a wide object": (size) => wide(between(10_001, 60_000, size)),
  "one key a thousand times": (size) => `{${'"a":0,'.repeat(between(1, 1_000, size))}"a":1}`,
  "the prototype": (size) => `{"a":${nested('{"b":', "}", between(1, 50, size), '{"__proto__":{"admin":true}}')}}`,
  "the prototype, in disguise": () => '{"\\u005f_proto__":{"admin":true}}',
};

export interface Bomb {
  readonly kind: string;
  readonly size: number;
}

const KINDS = Object.keys(VALUES);
export const BOMB_KINDS: number = KINDS.length;

/** Each kind in its turn. Small ones are the more common: there is a bound near to each of them. */
export function makeBomb(number: number, random: Random): Bomb {
  return { kind: KINDS[number % KINDS.length] ?? "", size: random.fraction() ** 4 };
}

/** A call whose arguments hold it. */
export function bombCall(id: number, tool: string, bomb: Bomb): string {
  const params = `{"name":"${tool}","arguments":{"x":${textOf(bomb)}}}`;
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;
}

function textOf({ kind, size }: Bomb): string {
  return VALUES[kind]?.(size) ?? "";
}

function between(least: number, most: number, size: number): number {
  return Math.round(least + (most - least) * size);
}

function nested(open: string, close: string, depth: number, core = ""): string {
  return open.repeat(depth) + core + close.repeat(depth);
}

function wide(members: number): string {
  return `{${Array.from({ length: members }, (_, at) => `"k${at}":0`).join(",")}}`;
}

/** What they become is a hundred times too large. */
const UNPACKED = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"x":"${"x".repeat(100_000_000)}"}}`;

/** An MCP server over HTTP whose answers to calls are bombs: the call names which. */
export class BombSite {
  /** When the last answer was made, which itself takes its time. */
  answeredAt = 0;
  readonly #server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    this.#answer(JSON.parse(await readText(request)), response);
  });
  readonly #packed = { gzip: gzipSync(UNPACKED), br: brotliCompressSync(UNPACKED) };

  async start(): Promise<object> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const { port } = this.#server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/mcp`, protocol: "2025-11-25", zaguan: { allowPrivate: true } };
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer({ id, method, params }: Asked, response: ServerResponse): void {
    const { packed, bomb } = params?.arguments ?? {};
    const headers = { "content-type": "application/json", "mcp-session-id": "s" };
    const result = (bomb && `{"content":[],"x":${textOf(bomb)}}`) ?? RESULTS[method] ?? "{}";
    const whole = Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    this.answeredAt = performance.now();
    if (id === undefined) response.writeHead(202).end();
    else if (packed) response.writeHead(200, { ...headers, "content-encoding": packed }).end(this.#packed[packed]);
    else response.writeHead(200, headers).end(whole);
  }
}

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments: { readonly bomb?: Bomb; readonly packed?: "gzip" | "br" } };
}

const RESULTS: Readonly<Record<string, string>> = {
  initialize: JSON.stringify({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "bombs", version: "1" },
  }),
  "tools/list": JSON.stringify({ tools: [{ name: "act", inputSchema: { type: "object" } }] }),
};
