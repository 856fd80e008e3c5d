/**
 * The upstream of every measurement: an MCP server that echoes, of either era or both, without a transport. It must not
 * be what is measured, so it works on the text: bytes as Latin-1 characters, nothing parsed on the way of a call.
 */
import { endOfValue, findMember } from "./json-text.mjs";

const HANDSHAKE = "2025-11-25";
const STATELESS = "2026-07-28";
const INFO = '{"name":"echo","version":"1"}';
const PAGE = 1_000;

/**
 * @param {{ era?: "2025" | "2026" | "both", tools?: number, prefix?: string }} settings how many tools it offers, the
 * first of which is `${prefix}echo`; all of them echo
 * @returns {(text: string) => string | undefined} takes a message, gives the answer unless none is due
 */
export function makeEcho({ era = "both", tools = 1, prefix = "" } = {}) {
  const pages = pagesOf(tools, prefix);
  const stateless = era === "2025" ? undefined : statelessAnswers(pages);
  const handshake = era === "2026" ? undefined : handshakeAnswers(pages);

  return (text) => {
    const idAt = findMember(text, 0, "id");
    if (idAt < 0) return undefined;
    const id = text.slice(idAt, endOfValue(text, idAt));
    const methodAt = findMember(text, 0, "method");
    if (methodAt < 0) return undefined;
    const method = text.slice(methodAt + 1, endOfValue(text, methodAt) - 1);
    const paramsAt = findMember(text, 0, "params");
    const answers = isStateless(text, paramsAt, method) ? stateless : handshake;
    const outcome = answers?.(method, text, paramsAt) ?? '"error":{"code":-32601,"message":"Method not found"}';
    return `{"jsonrpc":"2.0","id":${id},${outcome}}`;
  };
}

function isStateless(text, paramsAt, method) {
  if (method === "server/discover") return true;
  const metaAt = paramsAt < 0 ? -1 : findMember(text, paramsAt, "_meta");
  return metaAt >= 0 && findMember(text, metaAt, "io.modelcontextprotocol/protocolVersion") >= 0;
}

function handshakeAnswers(pages) {
  const greeting = `"result":{"protocolVersion":"${HANDSHAKE}","capabilities":{"tools":{}},"serverInfo":${INFO}}`;
  return (method, text, paramsAt) => {
    if (method === "tools/call") return `"result":{${contentOf(text, paramsAt)}}`;
    if (method === "tools/list") return `"result":{${pageOf(pages, text, paramsAt)}}`;
    if (method === "initialize") return greeting;
    return method === "ping" ? '"result":{}' : undefined;
  };
}

function statelessAnswers(pages) {
  const always = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":${INFO}}`;
  const cache = '"ttlMs":0,"cacheScope":"private"';
  const discovery = `"supportedVersions":["${STATELESS}"],"capabilities":{"tools":{}}`;
  return (method, text, paramsAt) => {
    if (method === "tools/call") return `"result":{${always},${contentOf(text, paramsAt)}}`;
    if (method === "tools/list") return `"result":{${always},${cache},${pageOf(pages, text, paramsAt)}}`;
    return method === "server/discover" ? `"result":{${always},${cache},${discovery}}` : undefined;
  };
}

/** The text goes back as it was written, escapes and all. */
function contentOf(text, paramsAt) {
  const argsAt = findMember(text, paramsAt, "arguments");
  const textAt = argsAt < 0 ? -1 : findMember(text, argsAt, "text");
  const said = textAt < 0 ? '""' : text.slice(textAt, endOfValue(text, textAt));
  return `"content":[{"type":"text","text":${said}}]`;
}

function pageOf(pages, text, paramsAt) {
  const cursorAt = paramsAt < 0 ? -1 : findMember(text, paramsAt, "cursor");
  return pages[cursorAt < 0 ? 0 : Number(text.slice(cursorAt + 1, endOfValue(text, cursorAt) - 1))] ?? '"tools":[]';
}

/** Every page as the text that goes out, made once. */
function pagesOf(count, prefix) {
  const all = Array.from({ length: count }, (_, index) => JSON.stringify(toolOf(index, prefix)));
  const pages = [];
  for (let from = 0; from < count; from += PAGE) {
    const more = from + PAGE < count ? `,"nextCursor":"${pages.length + 1}"` : "";
    pages.push(`"tools":[${all.slice(from, from + PAGE).join(",")}]${more}`);
  }
  return pages;
}

function toolOf(index, prefix) {
  const name = index === 0 ? `${prefix}echo` : `${prefix}tool-${index}`;
  const text = { type: "string", description: "What comes back" };
  const inputSchema = { type: "object", properties: { text }, required: ["text"] };
  return { name, description: `Echoes its text (${name})`, inputSchema };
}
