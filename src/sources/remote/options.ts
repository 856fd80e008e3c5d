/** What is configured of a server that is reached by URL, and which way led to it the last time. */
import type { Clock } from "../../core/ports.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { EraMemory } from "../mcp-client/era-memory.ts";
import type { ConnectContext } from "../source.ts";
import type { Attempts } from "./attempts.ts";

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
export const REMOTE = {
  kind: "http",
  look: {
    title: { en: "remote server", es: "servidor remoto", fr: "serveur distant", zh: "远程服务器" },
    icon: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3.5 3 3.5 15 0 18M12 3c-3.5 3-3.5 15 0 18",
  },
  concurrency: 64,
  trusted: false,
  mostLent: 256,
  isMcp: true,
} as const;

export type Way = "streamable" | "bare" | "sse" | "websocket" | "websocket-path";

const AN_HOUR_MS = 3_600_000;

/** The way that led to a server is tried first for a while. */
export class TransportMemory {
  #way: Way | undefined;
  #until = Number.NEGATIVE_INFINITY;

  recall(clock: Clock): Way | undefined {
    return clock.now() < this.#until ? this.#way : undefined;
  }

  remember(way: Way, clock: Clock): void {
    this.#way = way;
    this.#until = clock.now() + AN_HOUR_MS;
  }

  forget(): void {
    this.#way = undefined;
  }
}
