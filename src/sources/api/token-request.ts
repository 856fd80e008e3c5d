/** A token that an endpoint gives for a payload (HandsAI's dynamic authentication), and answers which say that it has ended. */
import type { HttpCaller, HttpReply } from "../../link/http-call.ts";
import { isFields, plainText } from "./arguments.ts";
import type { TokenRequest } from "./operation.ts";
import { askForToken, isToken, noToken, type Token } from "./token.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A refusal is short; a long answer may well speak of expired tokens without being one. */
const LONGEST_REFUSAL = 16_384;

export async function requestToken(auth: TokenRequest, caller: HttpCaller, source: string): Promise<Token> {
  const payload = payloadOf(auth);
  if (!payload) throw noToken(source, "the payload of its token request is no JSON object");
  const reply = await askForToken(requestFor(auth, payload), caller, source);
  const text = reply.status < 300 ? tokenIn(reply, auth.tokenPath) : undefined;
  if (isToken(text)) return { text, lifeMs: Number.POSITIVE_INFINITY };
  const where = reply.status < 300 && auth.tokenPath !== "" ? ` at '${auth.tokenPath}'` : "";
  throw noToken(source, `its token server gave no token${where} (HTTP ${reply.status})`);
}

/** Whether the answer says that the token, and not the request, was wrong. */
export function saysEnded({ invalidation }: TokenRequest, { status, bytes }: HttpReply): boolean {
  if (status === 401) return true;
  if (bytes.length > LONGEST_REFUSAL || invalidation.length === 0) return false;
  const text = Buffer.from(bytes).toString("utf8").toLowerCase();
  return invalidation.some((keyword) => keyword.trim() !== "" && text.includes(keyword.trim().toLowerCase()));
}

/** Undefined where it is no object; nothing at all is an empty one. */
export function payloadOf({ payload }: Pick<TokenRequest, "payload">): Fields | undefined {
  if (payload.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(payload);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function requestFor(auth: TokenRequest, payload: Fields) {
  const { method, url, payloadIn, payloadType } = auth;
  const headers = { accept: "application/json, */*;q=0.8" };
  const form = new URLSearchParams(
    Object.entries(payload).map(([name, value]): [string, string] => [name, plainText(value)]),
  );
  const isEmpty = Object.keys(payload).length === 0;
  if (isEmpty) return { method, url, headers };
  if (payloadIn === "query") return { method, url: withQuery(url, form.toString()), headers };
  const [contentType, body] =
    payloadType === "form"
      ? ["application/x-www-form-urlencoded", form.toString()]
      : ["application/json", JSON.stringify(payload)];
  return { method, url, headers: { ...headers, "content-type": contentType }, body };
}

function withQuery(url: string, query: string): string {
  const [bare = ""] = url.split("#", 1);
  return `${bare}${bare.includes("?") ? "&" : "?"}${query}`;
}

/** The whole answer where no path is given. A number is a token as well. */
function tokenIn({ bytes }: HttpReply, path: string): unknown {
  const text = Buffer.from(bytes).toString("utf8");
  if (path.trim() === "") return text.trim();
  const names = path
    .trim()
    .replace(/^\$\.?/, "")
    .split(".");
  const found = names.reduce<unknown>(member, parsed(text));
  return typeof found === "number" ? String(found) : found;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Fields)[name]
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
