/**
 * What `GET /api/tools/discover` tells of the tools: whether each is a described API or something else behind the hub, in the
 * words of seed 004, their list as JSON text, and when that list last changed.
 */
import type { Principal, ToolDefinition } from "../../core/call.ts";
import type { Gateway, ListedTool } from "../../core/gateway.ts";
import type { DoorContext } from "../door.ts";

type ToolType = "api_tool" | "mcp_tool";

/** A principal for looking tools up without a caller; it may use all of them. */
const ALL: Principal = { id: "zaguan", kind: "local", name: "zaguan" };

export class ToolTypes {
  readonly #context: DoorContext;
  /** Kept by definition, since a definition belongs to one source for as long as it lives. */
  readonly #called = new WeakMap<ToolDefinition, ToolType>();

  constructor(context: DoorContext) {
    this.#context = context;
  }

  /** Tells the types of the tools of one list. */
  listed(): (tool: ListedTool) => ToolType {
    const apis = new Set(this.#apis());
    return ({ source }) => (apis.has(source) ? "api_tool" : "mcp_tool");
  }

  /** The type of the tool with this name; asks no server for its list, since that would make the call take longer. */
  called(name: string): ToolType {
    const definition = this.#context.gateway.findTool(ALL, name);
    // HandsAI has no other type, and names it for unknown tools too.
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

/** The tools as JSON text. The text of a list is made once, that of a tool once for all lists. */
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

/**
 * When the list of tools last changed. The hub tells of a change a moment later, and of a burst of changes once; for whoever
 * asks in between, the list is compared with the one before.
 */
export class LastChange {
  readonly #gateway: Gateway;
  readonly #stopHearing: () => void;
  readonly #startedAt: () => number;
  #seen: readonly ListedTool[] | undefined;
  #changedAt: number | undefined;

  /** @param startedAt when the hub was started, for a list that has not changed since */
  constructor(gateway: Gateway, startedAt: () => number) {
    this.#gateway = gateway;
    this.#startedAt = startedAt;
    this.#stopHearing = gateway.onToolsChanged(() => {
      this.#changedAt = Date.now();
    });
  }

  /** Milliseconds since the epoch. */
  async time(): Promise<number> {
    const tools = await this.#gateway.listTools(ALL, "en");
    if (this.#seen && !isSame(this.#seen, tools)) this.#changedAt = Date.now();
    this.#seen = tools;
    this.#changedAt ??= this.#startedAt();
    return this.#changedAt;
  }

  close(): void {
    this.#stopHearing();
  }
}

/** Compares by identity: definitions are never changed, only replaced. */
function isSame(before: readonly ListedTool[], after: readonly ListedTool[]): boolean {
  if (before === after) return true;
  return before.length === after.length && before.every((tool, index) => tool.definition === after[index]?.definition);
}
