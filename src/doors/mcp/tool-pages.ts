/**
 * The text of `tools/list`, made once per list: one page up to a size, since many clients read only the first; a tool
 * that alone is larger than a page is sent alone. The cursor is the name of the next tool.
 */
import type { ListedTool } from "../../core/gateway-contract.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";

export const HTTP_PAGE_CHARS = 1_048_576;

/** Lists are shared between callers until they change, so their text is too, for each size of page. */
const firstPages = new WeakMap<readonly ListedTool[], Map<number, Payload>>();

export function toolPage(tools: readonly ListedTool[], cursor: string | undefined, pageChars: number): Payload {
  // Devices ask with an empty cursor for the first page.
  if (cursor) return cut(tools, startOf(tools, cursor), pageChars);
  const kept = firstPages.get(tools) ?? new Map<number, Payload>();
  const first = kept.get(pageChars) ?? cut(tools, 0, pageChars);
  firstPages.set(tools, kept.set(pageChars, first));
  return first;
}

function startOf(tools: readonly ListedTool[], cursor: string): number {
  const start = tools.findIndex((tool) => tool.definition.name === cursor);
  if (start < 0) throw new ZaguanError("INVALID_PARAMS", { params: { reason: "cursor is not one of ours" } });
  return start;
}

function cut(tools: readonly ListedTool[], start: number, pageChars: number): Payload {
  const texts: string[] = [];
  let size = 0;
  for (let index = start; index < tools.length; index++) {
    const definition = (tools[index] as ListedTool).definition;
    const text = JSON.stringify(definition);
    size += text.length + 1;
    if (size > pageChars && texts.length > 0) {
      return Payload.ofText(`{"tools":[${texts.join(",")}],"nextCursor":${JSON.stringify(definition.name)}}`);
    }
    texts.push(text);
  }
  return Payload.ofText(`{"tools":[${texts.join(",")}]}`);
}
