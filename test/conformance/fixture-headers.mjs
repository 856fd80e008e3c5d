/** The headers in which a request of revision 2026-07-28 repeats parts of its body: what is wrong with them. */
import { refuse } from "./fixture-connection.mjs";
import { VERSION } from "./fixture-envelope.mjs";

const NAMED_BY = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};
const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Refuses a request whose headers are missing or say something else; `tools` are those that may be called. */
export function checkHeaders({ method, params }, headers, tools) {
  demand("mcp-protocol-version", params._meta[VERSION], headers);
  demand("mcp-method", method, headers);
  const name = params[NAMED_BY[method]];
  if (name !== undefined) demand("mcp-name", name, headers);
  if (method === "tools/call") checkParams(params, headers, tools);
}

function checkParams({ name, arguments: args = {} }, headers, tools) {
  const { properties = {} } = tools.find((tool) => tool.name === name)?.inputSchema ?? {};
  for (const [property, schema] of Object.entries(properties)) {
    const header = schema["x-mcp-header"];
    const value = args[property] ?? undefined;
    if (header !== undefined && value !== undefined) demand(`mcp-param-${header.toLowerCase()}`, value, headers);
  }
}

function demand(header, value, headers) {
  const said = headers[header] === undefined ? undefined : decoded(headers[header].trim());
  const same = typeof value === "number" ? said !== "" && Number(said) === value : said === String(value);
  if (!same) refuse(-32020, `The header ${header} does not say what the body says`, { header });
}

/** Undefined if it is malformed. */
function decoded(value) {
  const [, base64] = ENCODED.exec(value) ?? [];
  if (base64 === undefined) return value;
  return BASE64.test(base64) ? Buffer.from(base64, "base64").toString("utf8") : undefined;
}
