/**
 * The contract of a source. A kind only knows how to make one connection; living, dying, waiting and trying again is the
 * supervisor's business and the same for all kinds.
 */

import type { ToolDefinition } from "../core/call.ts";
import type { Emit, SourceState } from "../core/events.ts";
import type { Clock, Random } from "../core/ports.ts";
import type { Language } from "../messages/catalogue.ts";
import type { Payload } from "../protocol/json/payload.ts";

export interface SourceKind<Options> {
  readonly kind: string;
  /** How many calls one source of this kind takes at once, unless configured. */
  readonly concurrency: number;
  /** True where tool annotations are our own and may be believed. */
  readonly trusted: boolean;
  /**
   * Makes one connection and brings it to readiness (handshake done). Rejects with a ZaguanError if it cannot, leaving
   * nothing behind. `signal` gives up the attempt.
   */
  connect(options: Options, context: ConnectContext, signal: AbortSignal): Promise<Connection>;
  /** The same tool with its texts in another language, where the kind's texts are our own. */
  translate?(tool: ToolDefinition, language: Language): ToolDefinition;
}

export interface ConnectContext {
  readonly name: string;
  readonly clock: Clock;
  readonly emit: Emit;
  /** To be called when the source says that its tools changed. */
  onToolsChanged(): void;
  /** To be called with every notification that belongs to no single request, as it came. */
  onNotification(method: string, params: Payload): void;
  /** To be called with every request of the source's own; resolves with the result to send back. */
  onRequest(method: string, params: Payload): Promise<Payload>;
  /** One line of the source's own log (a child's stderr); the last ones are kept. */
  onLog(line: string): void;
}

/** One life of a source, from readiness to its end. */
export interface Connection {
  listTools(signal: AbortSignal): Promise<readonly ToolDefinition[]>;
  /**
   * Answers with MCP's result object. Rejects with a ZaguanError whose `delivery` tells what is known: "not_sent" only
   * if the request provably never left.
   */
  request(request: SourceRequest): Promise<Payload>;
  /** What an MCP server answered to `initialize`, as it was written; undefined for kinds that speak no MCP. */
  readonly greeting?: Payload | undefined;
  /** Resolves, never rejects, when this life is over, with the reason in plain words. */
  readonly closed: Promise<string>;
  /** Ends this life and waits until nothing of it is left. */
  close(): Promise<void>;
}

export interface SourceRequest {
  readonly method: string;
  readonly name: string;
  readonly args: Payload;
  readonly meta?: Payload | undefined;
  /** The caller's params whole: then these are sent, but for the progress token, and not name, args and meta. */
  readonly params?: Payload | undefined;
  readonly language: Language;
  /** Aborted: stop waiting, and tell the source if its protocol has a word for it. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Payload) => void) | undefined;
}

/** A supervised source, as the hub uses it. */
export interface Source {
  readonly name: string;
  readonly kind: string;
  readonly trusted: boolean;
  readonly concurrency: number;
  /** Starts the source if need be. */
  listTools(signal: AbortSignal): Promise<readonly ToolDefinition[]>;
  request(request: SourceRequest): Promise<Payload>;
  /** What an MCP server says of itself; undefined for kinds that speak no MCP. Starts the source if need be. */
  greeting(signal: AbortSignal): Promise<Payload | undefined>;
  status(): SourceStatus;
  close(): Promise<void>;
}

export interface SourceStatus {
  readonly state: SourceState;
  readonly restarts: number;
  readonly lastError?: string | undefined;
  /** Milliseconds since 1970, when it was last ready or answered. */
  readonly lastSeen?: number | undefined;
  readonly log: readonly string[];
}

export interface SupervisorPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
}
