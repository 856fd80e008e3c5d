/** What a door sees of the hub, and all it sees. */

import type { CancelSignal } from "../light-abort.ts";
import type { Language } from "../messages/catalogue.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import type { Caller, CallRequest, PassRequest, Principal, ToolDefinition } from "./call.ts";
import type { NameClash } from "./catalogue.ts";

export interface Gateway {
  /**
   * The tools this principal may use, with public names, texts in its language, in a stable order. The first time it
   * waits a little for sources that are still starting.
   */
  listTools(principal: Principal, language: Language): Promise<readonly ListedTool[]>;
  /** What is known of a tool that this principal may use, by the name it would call it; undefined if there is none. */
  findTool(principal: Principal, name: string): ToolDefinition | undefined;
  /** Carries one call through the pipeline; rejects with a ZaguanError only. */
  call(request: CallRequest): Promise<Payload>;
  /** Tells when anybody's list changed (a burst is told once); the returned function ends it. */
  onToolsChanged(listener: () => void): () => void;
}

/** Single sources behind the hub, for the door that leads to one of them and changes nothing. */
export interface Servers {
  has(source: string): boolean;
  /** False also if there is such a source, but nothing of it is for this principal. */
  isReachable(source: string, principal: Principal): boolean;
  /** The hub seen through this one source: its tools under its own names. */
  through(source: string): Gateway;
  /** What an MCP server says of itself to askers in general, if the source is up; `face` is undefined where it speaks no MCP. */
  faceNow(source: string): { readonly face?: ServerFace | undefined } | undefined;
  /** What an MCP server says of itself, to this asker where one is given; undefined for sources that speak no MCP. */
  face(source: string, signal: CancelSignal, asker?: FaceAsker): Promise<ServerFace | undefined>;
  /** Every name that two sources claim; of a crowd of devices of one make there may be thousands. */
  clashes(): readonly NameClash[];
  /** The public name of a source's tool where it is not the tool's own. */
  renamed(source: string, tool: string): string | undefined;
  /** Whose tool is listed under this name, or called by it, and what its source calls it. */
  named(name: string): { readonly source: string; readonly tool: string } | undefined;
  /** Grows whenever a public name may have changed. */
  namesVersion(): number;
  /** Any request but a call of a tool; through the pipeline like everything else. */
  pass(request: PassRequest): Promise<Payload>;
  /** A client that stays: whom the source can ask while it is the only one. The returned function ends it. */
  join(source: string, caller: Caller, principal: Principal): () => void;
  /** Passes on what a client says and nobody answers. */
  tell(source: string, method: string, params: Payload, principal: Principal, caller?: Caller): void;
  /** `resources/subscribe`, counted, and renewed when the source is started anew. */
  subscribe(request: PassRequest, uri: string): Promise<Payload>;
  /** The source is told when nobody is left who listens. */
  unsubscribe(request: PassRequest, uri: string): Promise<Payload>;
  /** Every notification of a source that belongs to no single request, as it came. */
  onNotification(listener: (source: string, method: string, params: Payload) => void): () => void;
}

export interface FaceAsker {
  readonly caller: Caller | undefined;
  readonly principal: Principal;
}

export interface ListedTool {
  readonly source: string;
  /** `definition.name` is the public name. */
  readonly definition: ToolDefinition;
}
