/**
 * An MCP server on stdio that writes a ledger of its lifetime and its calls, from which a test learns when each process was alive and
 * what ran in it. No dependencies; revision 2025-11-25. Each line is "WHAT PID TIME MORE"; the time is in microseconds of the
 * monotonic clock that all processes of the machine share:
 *
 *   born PID TIME PARENT     alive PID TIME     begun PID TIME TAG     done PID TIME TAG     left PID TIME
 *
 * Usage: node life-server.mjs LEDGER_FILE
 */
import { fsyncSync, openSync, writeSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";

const ALIVE_MS = 20;
const [ledgerFile] = process.argv.slice(2);
if (ledgerFile === undefined) throw new Error("name the ledger's file");
// Opened for appending, so that lines of several processes do not mix.
const ledger = openSync(ledgerFile, "a");

function note(what, more = "") {
  writeSync(ledger, `${what} ${process.pid} ${process.hrtime.bigint() / 1000n} ${more}\n`);
}

note("born", process.ppid);
setInterval(() => note("alive"), ALIVE_MS).unref();

const TAG = { tag: { type: "string" } };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (value) => ({ content: [{ type: "text", text: String(value) }] });

const TOOLS = {
  work: { properties: { ms: { type: "integer" } }, run: ({ tag, ms }) => pause(ms).then(() => text(tag)) },
  fill: { properties: { bytes: { type: "integer" } }, run: ({ bytes }) => text("x".repeat(bytes)) },
};

const METHODS = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "life", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.entries(TOOLS).map(described) }),
  "tools/call": ({ name, arguments: args }) => execute(TOOLS[name], args),
};

createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  .on("line", (line) => void answer(JSON.parse(line)))
  .on("close", () => {
    note("left");
    process.exit(0);
  });

async function answer({ id, method, params }) {
  if (id === undefined) return;
  const run = METHODS[method];
  const outcome = run
    ? { result: await run(params) }
    : { error: { code: -32601, message: `Method not found: ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
}

async function execute(tool, args) {
  note("begun", args.tag);
  fsyncSync(ledger);
  const result = await tool.run(args);
  note("done", args.tag);
  return result;
}

function described([name, { properties }]) {
  const all = { ...TAG, ...properties };
  return {
    name,
    description: `Writes its tag to the ledger (${name})`,
    inputSchema: { type: "object", properties: all, required: Object.keys(all) },
  };
}
