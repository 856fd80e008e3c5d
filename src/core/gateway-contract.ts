/** What a door sees of the hub, and all it sees. */
import type { Language } from "../messages/catalogue.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { CallRequest, PassRequest, Principal, ToolDefinition } from "./call.ts";

export interface Gateway {
  /**
   * The tools this principal may use, with public names, texts in its language, in a stable order. The first time it
   * waits a little for sources that are still starting.
   */
  listTools(principal: Principal, language: Language): Promise<readonly ListedTool[]>;
  /** Carries one call through the pipeline; rejects with a ZaguanError only. */
  call(request: CallRequest): Promise<Payload>;
  /** Tells when anybody's list changed (a burst is told once); the returned function ends it. */
  onToolsChanged(listener: () => void): () => void;
}

/** Single sources behind the hub, for the door that leads to one of them and changes nothing. */
export interface Servers {
  has(source: string): boolean;
  /** The hub seen through this one source: its tools under its own names. */
  through(source: string): Gateway;
  /** What an MCP server says of itself, as it was written; undefined for sources that speak no MCP. */
  greeting(source: string, signal: AbortSignal): Promise<Payload | undefined>;
  /** Any request but a call of a tool; through the pipeline like everything else. */
  pass(request: PassRequest): Promise<Payload>;
  /** Every notification of a source that belongs to no single request, as it came. */
  onNotification(listener: (source: string, method: string, params: Payload) => void): () => void;
}

export interface ListedTool {
  readonly source: string;
  /** `definition.name` is the public name. */
  readonly definition: ToolDefinition;
}
