/**
 * An MCP server on stdio that misbehaves in the way its first argument names; see WAYS. Everything that a way does not
 * spoil is done well, so that a test sees the one fault alone. No dependencies.
 *
 * Usage: node evil-server.mjs WAY [FILE], where FILE gets one line with the pid at every start.
 */
import { appendFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";

const [way = "well-behaved", pidFile] = process.argv.slice(2);
if (pidFile !== undefined) appendFileSync(pidFile, `${process.pid}\n`);

const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "evil", version: "1.0.0" },
};
const OPEN_SCHEMA = { type: "object" };
const RUN_AWAY = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } }, required: ["text"] };
const DONE = { content: [{ type: "text", text: "done" }] };
const CHUNK = "x".repeat(65_536);

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const result = (id, value = DONE) => say({ id, result: value });

/** Each may replace what is done at the start, with `initialize`, and with a call. */
const WAYS = {
  "well-behaved": {},
  /** Takes everything and says nothing. */
  mute: { initialize: () => {} },
  /** Comes up properly, but no call is ever answered. */
  "never-answers": { call: () => {} },
  /** Comes up properly, but its list of tools never comes. */
  "never-lists": { list: () => {} },
  /** Writes without end and without a newline. */
  "flood-without-newline": { call: () => flood(CHUNK) },
  /** Writes lines that are no JSON, without end. */
  "flood-of-garbage": { call: () => flood(`${"garbage ".repeat(100)}\n`) },
  /** Greets with text, as programs do that were not written for this. */
  "text-first": {
    start: () => process.stdout.write("Welcome to the server!\n\u001b[31mwarning\u001b[0m: hot\n\n{\n[]\n"),
  },
  /** Answers to everybody but the caller, then never again. */
  "wrong-ids": { call: (id) => [id + 1_000, "zzz", null, -1, 1.5, {}, [id]].map((other) => result(other)) },
  /** Says everything three times, the later ones differently. */
  "duplicate-answers": {
    call: (id) => {
      result(id);
      result(id, { content: [{ type: "text", text: "again" }] });
      say({ id, error: { code: -32603, message: "no, it failed" } });
    },
  },
  /** Answers long after anybody should still wait. */
  "late-answers": { call: (id) => setTimeout(() => result(id), 6_500) },
  /**
   * Answers with as many bytes as a call asks for, after as many milliseconds; `idLast` writes the id behind them, `first`
   * is said before the answer: a notification or a question of the same size.
   */
  "large-answers": { call: answerLargely },
  /** Refuses to list its tools, but has one. */
  "list-fails": { list: (id) => say({ id, error: { code: -32603, message: "no list today" } }) },
  /** Fails at the second page of its list. */
  "half-a-list": {
    list: (id, { cursor } = {}) => {
      if (cursor === undefined) result(id, { tools: [{ name: "act", inputSchema: OPEN_SCHEMA }], nextCursor: "two" });
      else say({ id, error: { code: -32603, message: "no second page" } });
    },
  },
  /** Has a tool whose definition is larger than any client should be handed. */
  "huge-tool": {
    tools: [
      { name: "act", inputSchema: OPEN_SCHEMA },
      { name: "huge", description: "x".repeat(300_000), inputSchema: OPEN_SCHEMA },
    ],
  },
  /** Says ten thousand times that its tools changed, and then answers. */
  "list-changes": {
    call: (id) => {
      for (let n = 0; n < 10_000; n++) say({ method: "notifications/tools/list_changed" });
      result(id);
    },
  },
  "exits-at-once": { start: () => process.exit(7) },
  /** Comes up, and dies of its first call. */
  "dies-of-calls": { call: () => process.exit(9) },
  /** Stays when it is asked to go, whether by the end of its input or by a signal. */
  "ignores-sigterm": {
    start: () => {
      process.on("SIGTERM", () => {});
      setInterval(() => {}, 1_000);
      process.stdin.removeAllListeners("end");
    },
    stays: true,
  },
  "deep-result": { call: (id) => raw(id, `{"content":[],"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`) },
  "wide-result": { call: (id) => raw(id, `{"content":[],"x":[${"0,".repeat(3_000_000)}0]}`) },
  /** A result that is no result: text where an object belongs. */
  "odd-result": { call: (id) => raw(id, '"just text"') },
  "polluting-result": { call: (id) => raw(id, '{"content":[],"__proto__":{"polluted":true}}') },
  /** Offers a tool whose schema holds a pattern with exponential backtracking, and one that refers to itself. */
  "hostile-schema": {
    tools: [
      { name: "runaway", inputSchema: RUN_AWAY },
      { name: "endless", inputSchema: { type: "object", properties: { a: { $ref: "#" } }, $ref: "#" } },
      { name: "nonsense", inputSchema: { type: 7, properties: [], required: "all" } },
      { name: "", inputSchema: OPEN_SCHEMA },
      { name: "x".repeat(100_000), inputSchema: OPEN_SCHEMA },
      null,
      "tool",
    ],
  },
};

const { start, initialize, list, call, tools = [{ name: "act", inputSchema: OPEN_SCHEMA }], stays } = WAYS[way];
const METHODS = {
  initialize: initialize ?? ((id) => result(id, INITIALIZED)),
  ping: (id) => result(id, {}),
  "tools/list": list ?? ((id) => result(id, { tools })),
  "tools/call": call ?? ((id) => result(id)),
};

process.stdout.on("error", () => process.exit(0));
start?.();
createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (METHODS[method]) METHODS[method](id, params);
    else if (way !== "mute") say({ id, error: { code: -32601, message: "Method not found" } });
  })
  .on("close", () => stays || process.exit(0));

function raw(id, text) {
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${text}}\n`);
}

function answerLargely(id, { arguments: { bytes = 0, ms = 0, idLast = false, first } }) {
  const text = "x".repeat(bytes);
  if (first === "notification") say({ method: "notifications/message", params: { level: "info", data: text } });
  if (first === "question") say({ method: "sampling/createMessage", params: { text }, id });
  const value = { content: [{ type: "text", text }] };
  setTimeout(() => (idLast ? say({ result: value, id }) : result(id, value)), ms);
}

/** Pauses while the pipe is full, so that it is the reader whose memory is tried and not ours. */
function flood(piece) {
  while (process.stdout.write(piece));
  process.stdout.once("drain", () => flood(piece));
}
