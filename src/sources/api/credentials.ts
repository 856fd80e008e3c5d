/** The credentials of an API while it is connected: tokens are fetched when they are needed, and again when they have ended. */
import type { OAuthClient } from "../../contract/api.ts";
import type { Clock } from "../../core/ports.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { HttpCaller, HttpReply } from "../../link/http-call.ts";
import { Redaction } from "../../security/redaction.ts";
import { parseJson } from "../shared/json.ts";
import { isFields } from "./arguments.ts";
import { basic, type Credentials, credentialsOf, needsToken, secretsOf } from "./auth.ts";
import type { ApiAuth, TokenAuth } from "./operation.ts";
import { askForToken, isToken, KeptToken, noToken, requestToken, saysEnded, type Token } from "./token-request.ts";

/** Tokens by what they were given for. */
export type Tokens = ReadonlyMap<TokenAuth, string>;

export class CredentialStore {
  readonly #kept: ReadonlyMap<TokenAuth, KeptToken>;
  readonly #secrets: readonly string[];
  readonly #redaction: Redaction;

  constructor(options: Parameters<typeof secretsOf>[0], caller: HttpCaller, clock: Clock, source: string) {
    const auths = Object.values(options.auths).filter(needsToken);
    this.#kept = new Map(auths.map((auth) => [auth, new KeptToken(() => fetchToken(auth, caller, source), clock)]));
    this.#secrets = secretsOf(options);
    this.#redaction = new Redaction(this.#secrets);
  }

  /** Rejects with a ZaguanError where one cannot be had. */
  async tokensFor(auths: readonly ApiAuth[], signal: CancelSignal): Promise<Tokens> {
    const tokens = new Map<TokenAuth, string>();
    for (const auth of auths) {
      const kept = needsToken(auth) ? this.#kept.get(auth) : undefined;
      if (kept) tokens.set(auth as TokenAuth, await kept.get(signal));
    }
    return tokens;
  }

  credentials(auths: readonly ApiAuth[], tokens: Tokens): Credentials {
    return credentialsOf(auths, (auth) => tokens.get(auth) ?? "");
  }

  /** Whether some of them have ended, by this answer; the next who asks gets new ones. */
  haveEnded(tokens: Tokens, reply: HttpReply): boolean {
    const ended = [...tokens].filter(([auth]) => isEnd(auth, reply));
    for (const [auth, token] of ended) this.#kept.get(auth)?.refused(token);
    return ended.length > 0;
  }

  /** Takes out what was sent, and whatever else is secret. */
  redaction(sent: readonly Tokens[]): Redaction {
    const tokens = sent.flatMap((each) => [...each.values()]);
    return tokens.length === 0 ? this.#redaction : new Redaction([...this.#secrets, ...tokens]);
  }
}

function fetchToken(auth: TokenAuth, caller: HttpCaller, source: string) {
  return auth.type === "oauth2" ? fetchAccessToken(auth, caller, source) : requestToken(auth, caller, source);
}

function isEnd(auth: TokenAuth, reply: HttpReply): boolean {
  return auth.type === "oauth2" ? reply.status === 401 : saysEnded(auth, reply);
}

const MARGIN_MS = 60_000;
const FORM = "application/x-www-form-urlencoded";

/** An access token for ourselves (OAuth 2.0, client credentials). */
export async function fetchAccessToken(client: OAuthClient, caller: HttpCaller, source: string): Promise<Token> {
  const reply = await askForToken(requestFor(client), caller, source);
  const fields = fieldsIn(reply);
  const text = fields["access_token"];
  if (reply.status === 200 && isToken(text)) return { text, lifeMs: lifeOf(fields["expires_in"]) };
  throw noToken(source, `its token server gave no token (HTTP ${reply.status}${reasonIn(fields)})`);
}

function requestFor({ tokenUrl, clientId, clientSecret, scopes, sendAs }: OAuthClient) {
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  const headers: Record<string, string> = { accept: "application/json", "content-type": FORM };
  if (sendAs === "header") headers["authorization"] = `Basic ${basic(inForm(clientId), inForm(clientSecret))}`;
  else {
    form.set("client_id", clientId);
    form.set("client_secret", clientSecret);
  }
  return { method: "POST", url: tokenUrl, headers, body: form.toString() } as const;
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

function fieldsIn(reply: HttpReply): Readonly<Record<string, unknown>> {
  const value = parseJson(Buffer.from(reply.bytes).toString("utf8"));
  return isFields(value) ? value : {};
}

/** As RFC 6749 wants both before they are put together. */
function inForm(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
