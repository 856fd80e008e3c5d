/** The hub seen through one source: only its tools, under its own names. */
import { ZaguanError } from "../errors.ts";
import type { CallRequest } from "./call.ts";
import type { Gateway, ListedTool } from "./gateway.ts";

export function scopedTo(gateway: Gateway, source: string): Gateway {
  const prefix = `${source}__`;
  return {
    listTools: async (principal, language) => {
      const tools = await gateway.listTools(principal, language);
      return tools.filter((tool) => tool.source === source).map((tool) => withOwnName(tool, prefix));
    },
    findTool: (principal, name) => gateway.findTool(principal, prefix + name),
    call: (request: CallRequest) =>
      gateway.call({ ...request, tool: prefix + request.tool, server: source }).catch((cause) => {
        throw withOwnWords(cause, request.tool);
      }),
    onToolsChanged: (listener) => gateway.onToolsChanged(listener),
  };
}

function withOwnName(tool: ListedTool, prefix: string): ListedTool {
  const { name } = tool.definition;
  return name.startsWith(prefix)
    ? { ...tool, definition: { ...tool.definition, name: name.slice(prefix.length) } }
    : tool;
}

/** Who calls by the source's own names is answered in them. */
function withOwnWords(cause: unknown, tool: string): unknown {
  if (!(cause instanceof ZaguanError) || cause.code !== "UNKNOWN_TOOL") return cause;
  return new ZaguanError("UNKNOWN_TOOL", { ...cause.details, params: { tool: tool.slice(0, 200) } });
}
