/** The work that is measured. A new item is one line in the table. */
import type { Era, Question } from "./load/protocol.ts";

export interface Work {
  readonly name: string;
  readonly title: string;
  readonly method: Question["method"];
  /** Of the text that is echoed. */
  readonly bytes: number;
  /** Of each source. */
  readonly tools: number;
  readonly sources: number;
  readonly connections: number;
  readonly era: Era;
  readonly door: "http" | "websocket";
  readonly upstream: "stdio" | "http";
  /** Who does it, by name (subjects.ts). The first is what the others are compared with. */
  readonly subjects: readonly string[];
}

const USUAL = { method: "tools/call", bytes: 32, tools: 1, sources: 1, connections: 16, era: "2025" } as const;
const STDIO = { ...USUAL, door: "http", upstream: "stdio" } as const;
const HTTP = { ...USUAL, door: "http", upstream: "http" } as const;
const SOCKET = { ...USUAL, door: "websocket", upstream: "stdio" } as const;
const LIST = { ...STDIO, method: "tools/list" } as const;

const OURS = ["floor-stdio", "zaguan", "zaguan-server"];
const OVER_HTTP = ["floor-http", "zaguan", "zaguan-server"];
const OVER_SOCKET = ["floor-ws", "zaguan", "zaguan-server", "supergateway"];
const MODERN = [...OURS, "supergateway", "mcp-proxy", "sdk-v2"];
const ERAS = ["zaguan", "zaguan-2026", "zaguan-server", "floor-stdio", "floor-2026"];
const ON_NODE = [...OURS, "supergateway", "mcp-proxy", "sdk-v1", "sdk-v2"];
const ALL = [...ON_NODE, "py-fastmcp", "py-mcp-proxy"];

export const WORK: readonly Work[] = [
  { ...STDIO, name: "call", title: "tools/call", subjects: [...ALL, "upstream-stdio", "generator"] },
  { ...STDIO, name: "call-1", title: "tools/call", connections: 1, subjects: [...ALL, "generator"] },
  { ...STDIO, name: "call-256", title: "tools/call", connections: 256, subjects: ON_NODE },
  { ...STDIO, name: "call-10kB", title: "tools/call, 10 kB", bytes: 10_000, subjects: ON_NODE },
  { ...STDIO, name: "call-1MB", title: "tools/call, 1 MB", bytes: 1_000_000, subjects: [...ON_NODE, "upstream-stdio"] },
  { ...LIST, name: "list-10", title: "tools/list of 10", tools: 10, subjects: ON_NODE },
  { ...LIST, name: "list-1000", title: "tools/list of 1,000", tools: 1_000, subjects: [...ALL, "upstream-stdio"] },
  { ...STDIO, name: "call-2026", title: "tools/call, 2026-07-28", era: "2026", subjects: MODERN },
  { ...STDIO, name: "eras", title: "tools/call in each era", subjects: ERAS },
  { ...LIST, name: "list-2026", title: "tools/list of 1,000, 2026-07-28", tools: 1_000, era: "2026", subjects: MODERN },
  { ...STDIO, name: "call-bare", title: "tools/call, bare JSON-RPC", era: "bare", subjects: OURS },
  { ...SOCKET, name: "call-ws", title: "tools/call, WebSocket", subjects: OVER_SOCKET },
  {
    ...HTTP,
    name: "http",
    title: "HTTP upstream, tools/call",
    subjects: [...OVER_HTTP, "py-fastmcp", "upstream-http"],
  },
  { ...HTTP, name: "http-1", title: "HTTP upstream, tools/call", connections: 1, subjects: OVER_HTTP },
  { ...HTTP, name: "http-256", title: "HTTP upstream, tools/call", connections: 256, subjects: OVER_HTTP },
  { ...HTTP, name: "http-1MB", title: "HTTP upstream, tools/call, 1 MB", bytes: 1_000_000, subjects: OVER_HTTP },
  { ...HTTP, name: "http-2026", title: "HTTP upstream, tools/call, 2026-07-28", era: "2026", subjects: OVER_HTTP },
  {
    ...HTTP,
    name: "http-100",
    title: "tools/call over 100 HTTP sources",
    sources: 100,
    subjects: ["floor-http", "zaguan"],
  },
  { ...STDIO, name: "call-1000", title: "beside 1,000 sources, 10,000 tools", subjects: ["zaguan", "zaguan-1000"] },
];

/** What a look in passing needs. */
export const QUICK: { readonly works: readonly string[]; readonly subjects: readonly string[] } = {
  works: ["call", "call-1", "list-1000", "call-ws", "http"],
  subjects: ["zaguan", "supergateway", "mcp-proxy"],
};

export function questionOf({ method, era, bytes, tools, sources }: Work): Question {
  const prefixes = sources === 1 ? [""] : Array.from({ length: sources }, (_, index) => `s${index}-`);
  return { method, era, bytes, tools: tools * sources, prefixes };
}
