/** A call in MCP's words: the params of a request to a server, and results that are none of MCP. */
import { Payload } from "../../protocol/json/payload.ts";
import { membersOf, withMember, withoutMembers } from "../../protocol/json/text-edit.ts";
import type { SourceRequest } from "../source.ts";

/** With a progress token where one is wanted, to be exchanged for the request's own id (`swapProgressToken`). */
export function callParams(request: SourceRequest): string {
  if (request.params) return request.params.text;
  const meta = metaText(request);
  const tail = meta === undefined ? "" : `,"_meta":${meta}`;
  return `{"name":${JSON.stringify(request.name)},"arguments":${request.args.text}${tail}}`;
}

function metaText({ meta, onProgress }: SourceRequest): string | undefined {
  if (onProgress) return withMember(meta?.text ?? "{}", "progressToken", "0");
  const rest = meta && withoutMembers(meta.text, (key) => key === "progressToken");
  return rest === undefined || membersOf(rest).length === 0 ? undefined : rest;
}

/** Some servers answer with a bare text, or with whatever their tool gave. */
const OPENING_BRACE = 0x7b;

/** Of a server of MCP: its objects are its own affair and pass unread; anything else cannot be a result. */
export function asResult(result: Payload): Payload {
  return result.text.charCodeAt(0) === OPENING_BRACE ? result : wrapped(result);
}

/** Of a server that knows nothing of MCP: an object of its own is what the tool gave, and not what MCP says of it. */
export function asToolResult(result: Payload): Payload {
  if (result.text.charCodeAt(0) !== OPENING_BRACE) return wrapped(result);
  const value = result.value as Readonly<Record<string, unknown>>;
  if (Array.isArray(value["content"]) || "structuredContent" in value) return result;
  const content = JSON.stringify([{ type: "text", text: result.text }]);
  return Payload.ofText(`{"content":${content},"structuredContent":${result.text}}`);
}

/** Text as text, nothing as nothing, the rest as the JSON that it is. */
function wrapped(result: Payload): Payload {
  const { value, text } = result;
  if (value === null) return Payload.ofValue({ content: [] });
  return Payload.ofValue({ content: [{ type: "text", text: typeof value === "string" ? value : text }] });
}
