/**
 * An MCP server on stdio, of the handshake revisions, that asks its client back, counts its calls in memory, and tells of a
 * file that changes. It appends what it lives through to the file in its first argument, each line with its pid.
 * Environment: START_MS (how long it takes to start).
 */
import { appendFileSync, readFileSync, watch } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [ledger, watched] = process.argv.slice(2);
const note = (what) => appendFileSync(ledger, `${process.pid} ${what}\n`);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

note("started");
process.on("SIGTERM", () => {
  note("term");
  process.exit(0);
});

const questions = new Map();
const running = new Map();
const subscribed = new Set();
let declared = {};
let asked = 0;
let count = 0;

function ask(method, params, signal) {
  const id = `q${++asked}`;
  say({ id, method, params });
  return new Promise((resolve) => {
    const over = (answer) => questions.delete(id) && resolve(answer);
    questions.set(id, over);
    signal?.addEventListener("abort", () => {
      if (!questions.has(id)) return;
      say({ method: "notifications/cancelled", params: { requestId: id, reason: "not wanted any more" } });
      over({ error: { code: 0, message: "taken back" } });
    });
  });
}

const said = ({ result, error }) => (error ? `refused ${error.code}` : JSON.stringify(result));
const MEANT = { type: "object", properties: {}, required: [] };

const TOOLS = {
  who: () => JSON.stringify({ pid: process.pid, count: ++count, declared }),
  async elicit({ nonce, anyway, afterMs, thenMs }, { signal, progressToken }) {
    if (afterMs) await sleep(afterMs);
    if (!declared.elicitation && !anyway) return "nobody to ask";
    const params = { message: `about ${nonce}`, requestedSchema: MEANT };
    const answer = said(await ask("elicitation/create", params, signal));
    if (thenMs) await TOOLS.work({ ms: thenMs, everyMs: 20 }, { signal, progressToken });
    return `${nonce} ${answer}`;
  },
  /** Takes its question back after a while, with or without a word: then only the end of its call says so. */
  async regret({ ms, silently }) {
    const over = AbortSignal.timeout(ms);
    const asked = ask("elicitation/create", { message: "never mind", requestedSchema: MEANT }, silently ? null : over);
    await Promise.race([asked, new Promise((resolve) => over.addEventListener("abort", resolve))]);
    return "did without";
  },
  async roots({ anyway }, { signal }) {
    if (!declared.roots && !anyway) return "nobody to ask";
    return said(await ask("roots/list", undefined, signal));
  },
  async work({ ms, everyMs }, { signal, progressToken }) {
    const end = Date.now() + ms;
    for (let progress = 1; Date.now() < end && !signal.aborted; progress++) {
      await sleep(everyMs);
      if (progressToken !== undefined) say({ method: "notifications/progress", params: { progressToken, progress } });
    }
    return "done";
  },
  async hang(_args, { signal }) {
    note("hangs");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "given up";
  },
  crash: () => process.kill(process.pid, "SIGKILL"),
  log: ({ level }) => {
    say({ method: "notifications/message", params: { level, data: `${level} of ${process.pid}` } });
    return "logged";
  },
};

const METHODS = {
  initialize: ({ capabilities, protocolVersion }) => {
    declared = capabilities ?? {};
    note(`declared ${JSON.stringify(declared)}`);
    return {
      protocolVersion,
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
      serverInfo: { name: "asking", version: "1" },
    };
  },
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: "object" } })) }),
  "resources/list": () => ({ resources: watched ? [{ uri: `file://${watched}`, name: "watched" }] : [] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: readFileSync(watched, "utf8") }] }),
  "resources/subscribe": ({ uri }) => {
    subscribed.add(uri);
    note(`subscribed ${uri}`);
    return {};
  },
  "resources/unsubscribe": ({ uri }) => {
    subscribed.delete(uri);
    note(`unsubscribed ${uri}`);
    return {};
  },
  "logging/setLevel": ({ level }) => {
    note(`level ${level}`);
    return {};
  },
  async "tools/call"({ name, arguments: args = {}, _meta }, stop) {
    const run = TOOLS[name];
    if (!run) return { content: [{ type: "text", text: "no such tool" }], isError: true };
    const text = await run(args, { signal: stop.signal, progressToken: _meta?.progressToken });
    return { content: [{ type: "text", text }] };
  },
};

async function take(message) {
  const { id, method, params = {} } = message;
  if (method === undefined) return questions.get(id)?.(message);
  if (method === "notifications/cancelled") {
    note("cancelled");
    return running.get(params.requestId)?.abort();
  }
  if (id === undefined) return note(`told ${method}`);
  if (!METHODS[method]) return say({ id, error: { code: -32601, message: "Method not found" } });
  const stop = new AbortController();
  running.set(id, stop);
  const result = await METHODS[method](params, stop);
  running.delete(id);
  if (!stop.signal.aborted) say({ id, result });
}

if (watched) {
  let before = readFileSync(watched, "utf8");
  watch(watched, () => {
    const now = readFileSync(watched, "utf8");
    if (now === before || now === "") return;
    before = now;
    for (const uri of subscribed) say({ method: "notifications/resources/updated", params: { uri, title: now } });
  });
}
await sleep(Number(process.env.START_MS ?? 0));
createInterface({ input: process.stdin })
  .on("line", (line) => void take(JSON.parse(line)))
  .on("close", () => {
    note("left");
    process.exit(0);
  });
