/** Whether a tool is a described API or something else behind the hub, in the words of seed 004. */
import type { Principal, ToolDefinition } from "../../core/call.ts";
import type { ListedTool } from "../../core/gateway.ts";
import type { DoorContext } from "../door.ts";

export type ToolType = "api_tool" | "mcp_tool";

/** Nobody in particular, who may use everything. */
export const ALL: Principal = { id: "zaguan", kind: "local", name: "zaguan" };

export class ToolTypes {
  readonly #context: DoorContext;
  /** By what a call found; a definition is one source's for as long as it lives. */
  readonly #called = new WeakMap<ToolDefinition, ToolType>();

  constructor(context: DoorContext) {
    this.#context = context;
  }

  /** Of the tools of one list. */
  listed(): (tool: ListedTool) => ToolType {
    const apis = new Set(this.#apis());
    return ({ source }) => (apis.has(source) ? "api_tool" : "mcp_tool");
  }

  /** By the name it is called by. Waits for nobody's list, since a call has waited enough. */
  called(name: string): ToolType {
    const definition = this.#context.gateway.findTool(ALL, name);
    // The real system knows no other, and says so of what it does not know.
    if (!definition) return "api_tool";
    const known = this.#called.get(definition) ?? this.#find(definition);
    this.#called.set(definition, known);
    return known;
  }

  #find(definition: ToolDefinition): ToolType {
    const { servers } = this.#context;
    const isOf = (api: string) => servers.through(api).findTool(ALL, definition.name) === definition;
    return this.#apis().some(isOf) ? "api_tool" : "mcp_tool";
  }

  #apis(): string[] {
    return this.#context.status().sources.flatMap(({ kind, name }) => (kind === "api" ? [name] : []));
  }
}
