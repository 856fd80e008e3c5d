/**
 * An MCP server on stdio for tests of what is kept: `count` says how often it was really asked and what the value is, `change`
 * changes the value and tells that its tools have changed. No dependencies; revision 2025-11-25.
 */
import process from "node:process";
import { createInterface } from "node:readline";

let asked = 0;
let value = 0;

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (said) => ({ content: [{ type: "text", text: JSON.stringify(said) }] });

const TOOLS = {
  count: () => text({ asked: ++asked, value }),
  change: () => {
    value++;
    say({ method: "notifications/tools/list_changed" });
    return text({ value });
  },
};

const METHODS = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "counting", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.keys(TOOLS).map(described) }),
  "tools/call": ({ name }) => TOOLS[name](),
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (METHODS[method]) say({ id, result: METHODS[method](params) });
    else say({ id, error: { code: -32601, message: "Method not found" } });
  })
  .on("close", () => process.exit(0));

function described(name) {
  return { name, inputSchema: { type: "object" }, annotations: { readOnlyHint: name === "count" } };
}
