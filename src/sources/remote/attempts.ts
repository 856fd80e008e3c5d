/** What was tried to reach a server, and what became of each attempt; for whoever asks why it cannot be reached. */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import { statusOf } from "../../link/http-failures.ts";
import { NoResult } from "../../protocol/json-rpc/peer.ts";
import { UnknownVersion } from "../mcp-client/handshake-client.ts";
import type { ConnectContext } from "../source.ts";

export interface Attempt {
  readonly transport: string;
  /** In a few words, none of which are the server's own. */
  readonly outcome: string;
}

/** The cause of an error that says that no way led to a server. */
export class NoWay extends Error {
  readonly attempts: readonly Attempt[];

  constructor(attempts: readonly Attempt[]) {
    super(attempts.map(({ transport, outcome }) => `${transport}: ${outcome}`).join("; "));
    this.attempts = attempts;
  }
}

export class Attempts {
  readonly list: Attempt[] = [];
  readonly #context: ConnectContext;

  constructor(context: ConnectContext) {
    this.#context = context;
  }

  failed(transport: string, cause: unknown): void {
    const error = toZaguanError(cause);
    this.#add(transport, outcomeOf(error), error.details.relayed?.message);
  }

  succeeded(transport: string): void {
    this.#add(transport, "connected");
  }

  /** None of them led to it. */
  failure(): ZaguanError {
    const cause = new NoWay(this.list);
    const params = { source: this.#context.name, reason: `no way led to it (${cause.message})` };
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause });
  }

  /** The server's own words are for the log alone. */
  #add(transport: string, outcome: string, words?: string): void {
    this.list.push({ transport, outcome });
    this.#context.onAttempt?.(transport, outcome);
    this.#context.onLog(`${transport}: ${outcome}${words === undefined ? "" : ` (${words.slice(0, 200)})`}`);
  }
}

/** Whether a server answered in a way that another transport may do better; all else is for whoever waits to know. */
export function leadsOn(error: ZaguanError): boolean {
  const status = statusOf(error);
  if (status === 401 || status === 403 || status === 429) return false;
  if (status !== undefined) return (status >= 400 && status < 500) || status === 501;
  const { cause } = error.details;
  return error.code === "SOURCE_ERROR" || cause instanceof NoResult || cause instanceof UnknownVersion;
}

function outcomeOf({ code, details: { relayed, params, cause } }: ZaguanError): string {
  if (relayed) return `JSON-RPC error ${relayed.code}`;
  if (cause instanceof NoResult) return cause.message;
  return typeof params?.["reason"] === "string" ? params["reason"] : code;
}
