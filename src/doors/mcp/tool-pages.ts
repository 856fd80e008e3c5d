/**
 * The text of lists, in one page up to a size, since many clients read only the first; what alone is larger than a page is
 * sent alone. The cursor is the name of the next one. The first page of tools is made once per list.
 */
import type { ToolDefinition } from "../../core/call.ts";
import type { ListedTool } from "../../core/gateway.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";

export const HTTP_PAGE_CHARS = 1_048_576;

interface PagedList<T> {
  /** The member of the result that holds them. */
  readonly key: string;
  readonly items: readonly T[];
  nameOf(item: T): string;
  textOf(item: T): string;
  /** How much of the page a text takes. @default its length */
  sizeOf?(text: string): number;
}

/** Lists are shared between callers until they change, so their text is too, for each size of page and wording. */
const firstPages = new WeakMap<readonly ListedTool[], Map<string, Payload>>();

/** "seed" is seed 001's own, with what a tool is for; its program reads the names of "pascal" alone. */
type Wording = "official" | "seed" | "pascal";
/** How a list of tools is written: "device" is `device-dialect.ts`. */
export type ListStyle = Wording | "device";

export function toolPage(
  tools: readonly ListedTool[],
  cursor: string | undefined,
  pageChars: number,
  wording: Wording = "official",
): Payload {
  const list: PagedList<ListedTool> = {
    key: "tools",
    items: tools,
    nameOf: ({ definition }) => definition.name,
    textOf: ({ definition }) => JSON.stringify(inWords(definition, wording)),
  };
  // Devices ask with an empty cursor for the first page.
  if (cursor) return pageOf(list, cursor, pageChars);
  const kept = firstPages.get(tools) ?? new Map<string, Payload>();
  const key = `${wording} ${pageChars}`;
  const first = kept.get(key) ?? pageOf(list, undefined, pageChars);
  firstPages.set(tools, kept.set(key, first));
  return first;
}

function inWords(definition: ToolDefinition, wording: Wording): object {
  if (wording === "official") return definition;
  const { scope = "global" } = definition as { readonly scope?: unknown };
  const { name, description = "", inputSchema } = definition;
  const pascal = { Name: name, Description: description, Namespace: scope, InputSchema: inputSchema };
  return { ...definition, scope, ...(wording === "pascal" && pascal) };
}

export function pageOf<T>(list: PagedList<T>, cursor: string | undefined, pageChars: number): Payload {
  const { key, items, nameOf, textOf, sizeOf = lengthOf } = list;
  const texts: string[] = [];
  let size = 0;
  for (const item of cursor ? items.slice(startOf(list, cursor)) : items) {
    const text = textOf(item);
    size += sizeOf(text) + 1;
    if (size > pageChars && texts.length > 0) {
      return Payload.ofText(`{"${key}":[${texts.join(",")}],"nextCursor":${JSON.stringify(nameOf(item))}}`);
    }
    texts.push(text);
  }
  return Payload.ofText(`{"${key}":[${texts.join(",")}]}`);
}

function lengthOf(text: string): number {
  return text.length;
}

function startOf<T>({ items, nameOf }: PagedList<T>, cursor: string): number {
  const start = items.findIndex((item) => nameOf(item) === cursor);
  if (start < 0) throw new ZaguanError("INVALID_PARAMS", { params: { reason: "cursor is not one of ours" } });
  return start;
}
