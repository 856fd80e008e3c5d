/** An access token for ourselves (OAuth 2.0, client credentials). */
import type { OAuthClient } from "../../contract/api.ts";
import type { HttpCaller, HttpReply } from "../../link/http-call.ts";
import { isFields } from "./arguments.ts";
import { basic } from "./auth.ts";
import { askForToken, isToken, noToken, type Token } from "./token.ts";

const MARGIN_MS = 60_000;
const FORM = "application/x-www-form-urlencoded";

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
