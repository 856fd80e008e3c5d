/**
 * A server that gives whatever its tools give as their result, and writes its list of tools in its own way (seed 001's
 * systems do both). Run by itself it speaks stdio; `answer` is for whoever has another transport for it.
 */
import process from "node:process";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const RESULTS: Readonly<Record<string, unknown>> = {
  say: "hola",
  measure: 21.5,
  list: [1, "two"],
  nothing: null,
  official: { content: [], isError: false },
};

const TOOLS = [
  { Name: "say", Description: "Says hello", Namespace: "voices", InputSchema: { type: "object", properties: {} } },
  { Name: "measure", Description: null, InputSchemaJson: '{"type":"object","properties":{"room":{"type":"string"}}}' },
  { name: "list", scope: "lists", inputSchemaJson: '{"type":"object"}' },
  { name: "nothing", description: "Takes no arguments that it would speak of" },
  { name: "official", inputSchema: { type: "object" } },
  { name: "broken", inputSchemaJson: "{" },
  { Description: "has no name" },
  "no tool at all",
];

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

/** Undefined where nothing is to be said. `greets` of one that knows the handshake. */
export function answer({ id, method, params }: Message, greets: boolean): object | undefined {
  if (id === undefined) return undefined;
  const result = resultOf(method, params, greets);
  if (result !== undefined) return { jsonrpc: "2.0", id, result, error: null };
  return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
}

function resultOf(method: Message["method"], params: Message["params"], greets: boolean): unknown {
  if (method === "tools/list") return { tools: TOOLS };
  if (method === "tools/call") return RESULTS[params?.name ?? ""];
  if (method !== "initialize" || !greets) return undefined;
  return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "quirky", version: "1" } };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const said = answer(JSON.parse(line), true);
    if (said) process.stdout.write(`${JSON.stringify(said)}\n`);
  });
}
