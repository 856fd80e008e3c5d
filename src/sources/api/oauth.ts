/** An access token for ourselves (OAuth 2.0, client credentials): fetched once for all that wait, kept until shortly before its end. */
import type { Clock } from "../../core/ports.ts";
import { toZaguanError, withDelivery, ZaguanError } from "../../errors.ts";
import type { HttpCaller, HttpReply } from "../../link/http-call.ts";
import type { StopSignal } from "../../stop.ts";
import { isFields } from "./arguments.ts";
import { basic } from "./auth.ts";
import type { OAuthClient } from "./operation.ts";

const LIMIT_MS = 30_000;
const MARGIN_MS = 60_000;
const MOST_BYTES = 1_048_576;
const FORM = "application/x-www-form-urlencoded";

interface Token {
  readonly text: string;
  /** On the clock; never, where the server did not say. */
  readonly staleAt: number;
}

export class AccessToken {
  readonly #client: OAuthClient;
  readonly #caller: HttpCaller;
  readonly #clock: Clock;
  readonly #source: string;
  #current: Token | undefined;
  #coming: Promise<Token> | undefined;

  constructor(client: OAuthClient, caller: HttpCaller, clock: Clock, source: string) {
    this.#client = client;
    this.#caller = caller;
    this.#clock = clock;
    this.#source = source;
  }

  /** Rejects with a ZaguanError; the call that it was for has not been sent. */
  async get(signal: StopSignal): Promise<string> {
    const current = this.#current;
    if (current && this.#clock.now() < current.staleAt) return current.text;
    this.#coming ??= this.#fetch().finally(() => {
      this.#coming = undefined;
    });
    return (await orStopped(this.#coming, signal)).text;
  }

  /** It was refused: unless there is another one already, the next who asks gets a new one. */
  refused(text: string): void {
    if (this.#current?.text === text) this.#current = undefined;
  }

  async #fetch(): Promise<Token> {
    const reply = await this.#caller.call({ ...this.#request(), limitMs: LIMIT_MS, follow: false }).catch((cause) => {
      throw this.#unavailable("its token server does not answer", cause);
    });
    const fields = jsonIn(reply);
    const text = fields["access_token"];
    if (reply.status !== 200 || typeof text !== "string" || !/^[\x21-\x7e]+$/.test(text)) {
      throw this.#unavailable(`its token server gave no token (HTTP ${reply.status}${reasonIn(fields)})`);
    }
    this.#current = { text, staleAt: this.#clock.now() + lifeOf(fields["expires_in"]) };
    return this.#current;
  }

  #request() {
    const { tokenUrl, clientId, clientSecret, scopes, sendAs } = this.#client;
    const form = new URLSearchParams({ grant_type: "client_credentials" });
    if (scopes.length > 0) form.set("scope", scopes.join(" "));
    const headers: Record<string, string> = { accept: "application/json", "content-type": FORM };
    if (sendAs === "header") headers["authorization"] = `Basic ${basic(inForm(clientId), inForm(clientSecret))}`;
    else {
      form.set("client_id", clientId);
      form.set("client_secret", clientSecret);
    }
    return { method: "POST", url: tokenUrl, headers, body: form.toString(), maxBytes: MOST_BYTES } as const;
  }

  #unavailable(reason: string, cause?: unknown): ZaguanError {
    const error = cause === undefined ? undefined : toZaguanError(cause);
    if (error?.code === "FORBIDDEN_ADDRESS") return withDelivery(error, "not_sent");
    const params = { source: this.#source, reason };
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause });
  }
}

/** A token that lives shorter than the margin is kept for half of its life. */
function lifeOf(seconds: unknown): number {
  const ms = Number(seconds) * 1_000;
  if (seconds === undefined || seconds === null || !Number.isFinite(ms) || ms <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(ms - MARGIN_MS, ms / 2);
}

/** RFC 6749 names the reasons; anything longer might be what we sent. */
function reasonIn(fields: Readonly<Record<string, unknown>>): string {
  const { error } = fields;
  return typeof error === "string" && REASONS.has(error) ? `, ${error}` : "";
}

const REASONS: ReadonlySet<string> = new Set([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
]);

function jsonIn(reply: HttpReply): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(reply.bytes).toString("utf8"));
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

/** As RFC 6749 wants both before they are put together. */
function inForm(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** Who leaves does not take the token from the others. */
async function orStopped<T>(coming: Promise<T>, signal: StopSignal): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(withDelivery(toZaguanError(signal.reason), "not_sent"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([coming, stopped]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
