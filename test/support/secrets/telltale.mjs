/**
 * An MCP server that repeats whatever it was told to keep for itself, in every answer and in every spelling: as it is, in a URL,
 * in base64, as JSON within a text, with every character escaped. As a program it repeats its arguments and its environment.
 */
import { Buffer } from "node:buffer";
import { realpathSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const WAYS = ["result", "structured", "tool_error", "error", "notify", "noise"];

/** JSON that says it in all spellings. */
export function spelled(known) {
  const base64 = Buffer.from(known).toString("base64");
  const said = { plain: known, url: encodeURIComponent(known), base64, nested: JSON.stringify({ known }) };
  const escaped = [...known].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  const slashed = JSON.stringify(known).replaceAll("/", "\\/");
  return `${JSON.stringify(said).slice(0, -1)},"escaped":"${escaped}","slashed":${slashed},"large":12345678901234567890123}`;
}

/** What it sends for one message, in that order; `way` is the tool that was called. */
export function replies(text, known) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return { messages: [] };
  const told = (result) => ({ messages: [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`] });
  if (method === "initialize") return told(JSON.stringify(hello(params, known)));
  if (method === "tools/list")
    return told(JSON.stringify({ tools: WAYS_TO_CALL.map((name) => toolNamed(name, known)) }));
  if (method !== "tools/call") return { messages: [refusal(id, -32601, "unknown method", known)] };
  return { ...called(id, params.name, told, known), way: params.name };
}

const WAYS_TO_CALL = [...WAYS, "die"];

function called(id, way, told, known) {
  const content = JSON.stringify([{ type: "text", text: spelled(known) }]);
  if (way === "structured") return told(`{"content":${content},"structuredContent":${spelled(known)}}`);
  if (way === "tool_error") return told(`{"content":${content},"isError":true}`);
  if (way === "error") return { messages: [refusal(id, -32000, `no: ${known}`, known)] };
  const result = told(`{"content":${content}}`);
  if (way !== "notify") return result;
  const notice = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":${spelled(known)}}}`;
  return { messages: [notice, ...result.messages] };
}

function refusal(id, code, message, known) {
  const error = `{"code":${code},"message":${JSON.stringify(message)},"data":${spelled(known)}}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${error}}`;
}

function hello(params, known) {
  const serverInfo = { name: "telltale", version: "1", title: known };
  return {
    protocolVersion: params?.protocolVersion ?? "2025-06-18",
    capabilities: { tools: {}, logging: {} },
    serverInfo,
    instructions: known,
  };
}

function toolNamed(name, known) {
  const properties = { password: { type: "string", default: known }, pin: { type: "string", writeOnly: true } };
  return { name, description: `says ${known}`, inputSchema: { type: "object", properties } };
}

/** All that a program was given. */
function given() {
  const own = Object.entries(process.env).filter(([name]) => name.startsWith("TOLD_"));
  return [...process.argv.slice(2), ...own.map(([, value]) => value)].join(" ; ");
}

function runAsLines(known) {
  const tools = ["result", "tool_error"].map((name) => ({
    name,
    description: known,
    input_schema: { type: "object" },
  }));
  say(JSON.stringify({ type: "ready", version: "1", tools }));
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, tool } = JSON.parse(line);
    if (tool === "result") say(`{"type":"result","id":${id},"ok":true,"result":${spelled(known)}}`);
    else say(`{"type":"error","id":${id},"ok":false,"error":${JSON.stringify(known)}}`);
  });
}

function runAsServer(known) {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { messages, way } = replies(line, known);
    process.stderr.write(`${known}\n`);
    if (way === "noise") say(`this is no message: ${known}`);
    if (way === "die") process.exit(3);
    for (const message of messages) say(message);
  });
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

if (process.argv[1] && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url))) {
  const known = given();
  process.stderr.write(`starting with ${known}\n`);
  if (process.env.TOLD_LINES) runAsLines(known);
  else runAsServer(known);
}
