/** What is configured of a server that is reached by URL. */

import type { CancelSignal } from "../../light-abort.ts";
import type { EraMemory } from "../mcp-client/era-memory.ts";
import type { ConnectContext } from "../source.ts";
import type { Attempts } from "./attempts.ts";
import type { TransportMemory } from "./transport-memory.ts";

export interface RemoteOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: boolean;
  /** The largest answer, event or message that is read. */
  readonly maxBytes: number;
  /** With what to begin, until something is known to work. */
  readonly first: "http" | "sse" | "websocket";
  /** The revision of MCP that it speaks, where that is configured: then it is not asked. */
  readonly revision?: string | undefined;
  /** Both are of this server, over all of its lives. */
  readonly era: EraMemory;
  readonly way: TransportMemory;
}

/** One attempt to connect. */
export interface Trip {
  readonly options: RemoteOptions;
  readonly context: ConnectContext;
  readonly attempts: Attempts;
  readonly signal: CancelSignal;
}

/** What is known of every such server before it is dialled. */
export const REMOTE = { kind: "http", concurrency: 64, trusted: false, mostLent: 256, isMcp: true } as const;
