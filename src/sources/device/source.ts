/** A device that dialled in: we are the client of its MCP server, for as long as its socket lives. */
import type { ToolDefinition } from "../../core/call.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { LinkHandlers } from "../../link/link.ts";
import { openRedacted } from "../../link/redacted-link.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { EraMemory } from "../mcp-client/era-memory.ts";
import { connectPipe } from "../mcp-client/pipe.ts";
import { parseJson } from "../shared/json.ts";
import type { SourceKind, SourceRequest } from "../source.ts";
import type { DeviceChannel } from "./channel.ts";

interface DeviceOptions {
  readonly channel: DeviceChannel;
  readonly memory: EraMemory;
  /** Where the device sends pictures to have them explained. */
  readonly vision?: { readonly url: string; readonly token: string } | undefined;
}

export const device: SourceKind<DeviceOptions> = {
  kind: "device",
  look: {
    title: { en: "device", es: "dispositivo", fr: "appareil", zh: "设备" },
    icon: "M7 3h10v18H7zM12 11a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 7h.01",
  },
  // Small ones do one thing after another, and drop what they have no room for.
  concurrency: 4,
  trusted: false,
  isMcp: true,
  connect: async ({ channel, memory, vision }, context, signal) => {
    const given = vision ? [vision.token] : [];
    const open = (handlers: LinkHandlers) => openRedacted(given, handlers, async (clean) => channel.open(clean));
    const capabilities = vision && { vision };
    const options = { open, memory, asksForEra: false, capabilities };
    const connection = await connectPipe(options, context, signal);
    const { listTools, request } = connection;
    return Object.assign(connection, {
      listTools: async (wanted: CancelSignal) => sharedTools(await listTools(wanted)),
      request: (asked: SourceRequest) =>
        asked.method === "tools/call" ? request(asked).then(withPictures) : request(asked),
    });
  },
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * Pictures as the firmware sends them, `{"type":"image","image":"{…}"}` with MCP's picture as a JSON text inside, are
 * made what MCP calls one: official clients refuse the whole result otherwise. The same result, unless such a picture
 * is in it.
 */
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
  const { data, mimeType } = (parseJson(image) ?? {}) as Fields;
  if (typeof data !== "string" || typeof mimeType !== "string") return { type: "text", text: image, ...rest };
  return { type, data, mimeType, ...rest };
}

/**
 * Tools that are written alike are kept once: thousands of boxes of one make offer the same. Forgotten with the last
 * box that has them.
 */
const known = new Map<string, WeakRef<ToolDefinition>>();
const forgotten = new FinalizationRegistry((text: string) => {
  // Another of the same text may have come meanwhile.
  if (known.get(text)?.deref() === undefined) known.delete(text);
});

export function sharedTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return tools.map(shared);
}

function shared(tool: ToolDefinition): ToolDefinition {
  const text = JSON.stringify(tool);
  const same = known.get(text)?.deref();
  if (same) return same;
  known.set(text, new WeakRef(tool));
  forgotten.register(tool, text);
  return tool;
}
