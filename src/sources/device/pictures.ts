/**
 * Pictures as the firmware sends them, `{"type":"image","image":"{…}"}` with MCP's picture as a JSON text inside, are made
 * what MCP calls one: official clients refuse the whole result otherwise.
 */
import { Payload } from "../../protocol/json/payload.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The same result, unless such a picture is in it. */
export function withPictures(result: Payload): Payload {
  // Most results have none, and need not be read to know it.
  if (!result.text.includes('"image"')) return result;
  const value = result.value as Fields | null;
  const content = value?.["content"];
  if (!Array.isArray(content) || !content.some(isWrapped)) return result;
  return Payload.ofValue({ ...value, content: content.map((item) => (isWrapped(item) ? unwrapped(item) : item)) });
}

interface Wrapped extends Fields {
  readonly type: "image";
  readonly image: string;
}

function isWrapped(item: unknown): item is Wrapped {
  const { type, image, data } = (item ?? {}) as Fields;
  return type === "image" && typeof image === "string" && data === undefined;
}

/** What cannot be read as a picture is still something that can be read. */
function unwrapped({ type, image, ...rest }: Wrapped): Fields {
  const { data, mimeType } = parsed(image);
  if (typeof data !== "string" || typeof mimeType !== "string") return { type: "text", text: image, ...rest };
  return { type, data, mimeType, ...rest };
}

function parsed(text: string): Fields {
  try {
    return (JSON.parse(text) ?? {}) as Fields;
  } catch {
    return {};
  }
}
