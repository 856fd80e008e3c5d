/** An MCP server on stdio whose one tool, `count`, takes whatever it is given and tells its arguments as they came. */
import { createInterface } from "node:readline";

const properties = {
  n: { type: "integer" },
  on: { type: "boolean" },
  names: { type: "array", items: { type: "string" } },
  size: { enum: ["small", "large"] },
};
const TOOL = { name: "count", inputSchema: { type: "object", properties, required: ["n"] } };

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    ...{ protocolVersion, capabilities: { tools: {} } },
    serverInfo: { name: "coercing", version: "1" },
  }),
  "tools/list": () => ({ tools: [TOOL] }),
  "tools/call": (params) => ({ content: [{ type: "text", text: JSON.stringify(params.arguments) }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = ANSWERS[method];
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
}
