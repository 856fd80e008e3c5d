/**
 * An MCP server on stdio that keeps a ledger: every execution of a call appends one line "tag pid" to a file before it is
 * answered, so that a test can tell what really ran, and in which process. No dependencies; revision 2025-11-25.
 *
 * Usage: node ledger-server.mjs LEDGER_FILE [MILLISECONDS], which echo, incr and put take before they answer
 */
import { fsyncSync, openSync, writeSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";

const [ledgerFile, workMs = "0"] = process.argv.slice(2);
if (ledgerFile === undefined) throw new Error("name the ledger's file");
const ledger = openSync(ledgerFile, "a");

const TAG = { tag: { type: "string" } };
const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const work = async ({ tag }) => {
  await pause(Number(workMs));
  return text(tag);
};

/** What each tool needs beside its tag, what it promises, and what it does once its execution stands in the ledger. */
const TOOLS = {
  echo: { annotations: { readOnlyHint: true }, run: work },
  incr: { synced: true, run: work },
  put: { annotations: { idempotentHint: true }, run: work },
  sleep: {
    properties: { ms: { type: "number" } },
    run: async ({ tag, ms }) => {
      await pause(ms);
      return text(tag);
    },
  },
  big: { properties: { bytes: { type: "integer" } }, run: ({ bytes }) => text("x".repeat(bytes)) },
  whoami: { annotations: { readOnlyHint: true }, run: () => text(process.pid) },
};

const METHODS = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "ledger", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.entries(TOOLS).map(described) }),
  "tools/call": ({ name, arguments: args }) => execute(TOOLS[name], args),
};

createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  .on("line", (line) => void answer(JSON.parse(line)))
  .on("close", () => process.exit(0));

async function answer({ id, method, params }) {
  if (id === undefined) return;
  const run = METHODS[method];
  const outcome = run
    ? { result: await run(params) }
    : { error: { code: -32601, message: `Method not found: ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
}

function execute(tool, args) {
  writeSync(ledger, `${args.tag} ${process.pid}\n`);
  if (tool.synced) fsyncSync(ledger);
  return tool.run(args);
}

function described([name, { properties = {}, annotations }]) {
  const all = { ...TAG, ...properties };
  return {
    name,
    description: `Writes its tag to the ledger (${name})`,
    inputSchema: { type: "object", properties: all, required: Object.keys(all) },
    annotations,
  };
}
