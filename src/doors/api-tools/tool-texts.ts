/** Tools as `GET /api/tools/discover` shows them, as text: that of a list is made once, that of a tool once for all lists. */
import type { ToolDefinition } from "../../core/call.ts";
import type { ListedTool } from "../../core/gateway.ts";
import type { ToolType, ToolTypes } from "./tool-types.ts";

export class ToolTexts {
  readonly #types: ToolTypes;
  /** Callers who may use everything share their lists until these change. */
  readonly #lists = new WeakMap<readonly ListedTool[], string>();
  readonly #tools: Readonly<Record<ToolType, WeakMap<ToolDefinition, string>>> = {
    api_tool: new WeakMap(),
    mcp_tool: new WeakMap(),
  };

  constructor(types: ToolTypes) {
    this.#types = types;
  }

  /** A JSON array. */
  listOf(tools: readonly ListedTool[]): string {
    const kept = this.#lists.get(tools) ?? this.#write(tools);
    this.#lists.set(tools, kept);
    return kept;
  }

  #write(tools: readonly ListedTool[]): string {
    const typeOf = this.#types.listed();
    return `[${tools.map((tool) => this.#textOf(tool.definition, typeOf(tool))).join(",")}]`;
  }

  #textOf(definition: ToolDefinition, type: ToolType): string {
    const texts = this.#tools[type];
    const kept = texts.get(definition) ?? textOf(definition, type);
    texts.set(definition, kept);
    return kept;
  }
}

function textOf({ name, description = "", inputSchema }: ToolDefinition, type: ToolType): string {
  return JSON.stringify({ name, description, type, parameters: inputSchema });
}
