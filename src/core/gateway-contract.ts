/** What a door sees of the hub, and all it sees. */
import type { Language } from "../messages/catalogue.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { CallRequest, Principal, ToolDefinition } from "./call.ts";

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

export interface ListedTool {
  readonly source: string;
  /** `definition.name` is the public name. */
  readonly definition: ToolDefinition;
}
