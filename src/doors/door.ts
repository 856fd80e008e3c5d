/**
 * The contract of a door on the HTTP port: a name and its routes. The server has already checked Host, Origin, limits
 * and the caller's key when a route's handler runs; the handler turns bytes into calls and replies into bytes.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../core/call.ts";
import type { Gateway } from "../core/gateway-contract.ts";
import type { ZaguanError } from "../errors.ts";
import type { Language } from "../messages/catalogue.ts";
import type { ScanLimits } from "../protocol/json/scan.ts";

export type DoorFactory = (context: DoorContext) => Door;

export interface Door {
  readonly name: string;
  readonly routes: readonly Route[];
  /** Ends streams and timers. */
  close?(): void;
}

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Open to callers without a key; to be used sparingly. */
  readonly public?: boolean;
  handle(exchange: Exchange): Promise<void> | void;
}

/** One HTTP request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  /** The request's `Accept-Language` first, else the hub's own. */
  readonly language: Language;
  header(name: string): string | undefined;
  /** The body as text; rejects if it is too large, compressed, or not declared as JSON. */
  readBody(): Promise<string>;
  reply(status: number, body: string, headers?: Readonly<Record<string, string>>): void;
  /** Answers a failure of the exchange itself, as JSON-RPC with id null. */
  fail(error: ZaguanError): void;
}

export interface DoorContext {
  readonly gateway: Gateway;
  readonly limits: () => DoorLimits;
  readonly status: () => HubStatus;
  /** Tells of a failure nobody expected and gives back the reference that the answer repeats. */
  report(cause: unknown): string;
}

export interface DoorLimits extends ScanLimits {
  readonly sessions: number;
  readonly sessionIdleMs: number;
}

/** What health and registry show. */
export interface HubStatus {
  readonly version: string;
  readonly startedUtc: string;
  readonly uptimeSeconds: number;
  readonly callsInFlight: number;
  readonly sources: readonly SourceSummary[];
}

export interface SourceSummary {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly transport: string;
  readonly tools: number;
  readonly restarts: number;
  readonly lastSeenUtc: string | null;
  readonly lastError: string | null;
  readonly log: readonly string[];
}
