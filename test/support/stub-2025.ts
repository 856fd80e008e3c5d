/** The least that makes an MCP server of the revisions with a handshake, without a transport; for tests. */
import type { Fields, StubMessage } from "./stub-2026.ts";

const METHODS: Readonly<Record<string, (params: StubMessage["params"]) => unknown>> = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
    serverInfo: { name: "stub", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
  "tools/call": (params) => ({ content: [{ type: "text", text: JSON.stringify(params) }] }),
  "logging/setLevel": () => ({}),
  "resources/subscribe": () => ({}),
};

/** Undefined where nothing is to be said. */
export function answer2025({ id, method, params }: StubMessage): Fields | undefined {
  if (id === undefined || method === undefined) return undefined;
  const run = METHODS[method];
  if (run) return { jsonrpc: "2.0", id, result: run(params) };
  return { jsonrpc: "2.0", id, error: { code: -32601, message: `Method not found: ${method}` } };
}

export function isKnown2025(method: string): boolean {
  return method in METHODS;
}
