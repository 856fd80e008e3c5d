/** A token that somebody gives us: fetched once for all that wait, and kept until shortly before its end. */
import { TOKEN } from "../../contract/rules.ts";
import type { Clock } from "../../core/ports.ts";
import { isAddressRefusal, toZaguanError, withDelivery, ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { HttpCaller, HttpReply, HttpRequest } from "../../link/http-call.ts";
import { orStopped } from "../or-stopped.ts";

export interface Token {
  readonly text: string;
  /** Infinity, where nobody said. */
  readonly lifeMs: number;
}

export class KeptToken {
  readonly #fetch: () => Promise<Token>;
  readonly #clock: Clock;
  #current: { readonly text: string; readonly staleAt: number } | undefined;
  #coming: Promise<string> | undefined;

  /** `fetch` rejects with a ZaguanError. */
  constructor(fetch: () => Promise<Token>, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** Rejects with a ZaguanError; the call that it was for has not been sent. */
  async get(signal: CancelSignal): Promise<string> {
    const current = this.#current;
    if (current && this.#clock.now() < current.staleAt) return current.text;
    this.#coming ??= this.#renew().finally(() => {
      this.#coming = undefined;
    });
    return orStopped(this.#coming, signal);
  }

  /** It was refused: unless there is another one already, the next who asks gets a new one. */
  refused(text: string): void {
    if (this.#current?.text === text) this.#current = undefined;
  }

  async #renew(): Promise<string> {
    const { text, lifeMs } = await this.#fetch();
    this.#current = { text, staleAt: this.#clock.now() + lifeMs };
    return text;
  }
}

const BOUNDS = { limitMs: 30_000, maxBytes: 1_048_576, follow: false } as const;

/** What a token server says to that. An API whose tokens cannot be had is not there, and has got nothing. */
export async function askForToken(
  request: Pick<HttpRequest, "method" | "url" | "headers" | "body">,
  caller: HttpCaller,
  source: string,
): Promise<HttpReply> {
  try {
    return await caller.call({ ...request, ...BOUNDS });
  } catch (cause) {
    const error = toZaguanError(cause);
    if (isAddressRefusal(error)) throw withDelivery(error, "not_sent");
    throw noToken(source, "its token server does not answer", cause);
  }
}

export function noToken(source: string, reason: string, cause?: unknown): ZaguanError {
  return new ZaguanError("SOURCE_UNAVAILABLE", { params: { source, reason }, delivery: "not_sent", cause });
}

/** What no header can hold is none. */
export function isToken(text: unknown): text is string {
  return typeof text === "string" && TOKEN.test(text);
}
