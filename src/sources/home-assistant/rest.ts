/** What Home Assistant offers over HTTP alone: history, and automations as they are written. */
import { toZaguanError, withDelivery, ZaguanError } from "../../errors.ts";
import { HttpSite, type SiteAnswer, type SiteRequest } from "../../link/http-site.ts";
import type { StopSignal } from "../../stop.ts";
import { isFields } from "./arguments.ts";
import type { House } from "./house.ts";
import { type HomeAssistantOptions, MOST_BYTES } from "./options.ts";
import { Refusal } from "./refusal.ts";

/** A caller who gives more time than this has been forgotten by the house. */
const LIMIT_MS = 300_000;

export function siteOf({ url, token, allowPrivate }: HomeAssistantOptions, name: string): HttpSite {
  return new HttpSite({ url, headers: { authorization: `Bearer ${token}` }, allowPrivate, name, maxBytes: MOST_BYTES });
}

/** Resolves with the JSON of a good answer. Rejects with a Refusal in the house's words, or with a ZaguanError. */
export async function askOverHttp(
  { site, name }: House,
  request: Pick<SiteRequest, "method" | "path" | "body">,
  signal: StopSignal,
): Promise<unknown> {
  const answer = await site.request({ ...request, limitMs: LIMIT_MS, signal }).catch((cause) => {
    // Why it was stopped is for whoever stopped it to say.
    const error = toZaguanError(cause);
    throw signal.aborted ? withDelivery(toZaguanError(signal.reason), error.delivery) : error;
  });
  return readAnswer(answer, name);
}

function readAnswer({ status, text }: SiteAnswer, source: string): unknown {
  if (status === 401 || status === 403) {
    const params = { source, reason: `it refused the token (HTTP ${status})` };
    throw new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
  }
  const value = parsed(text);
  if (status >= 300) throw new Refusal(wordsOf(value) ?? `HTTP ${status}`);
  if (value !== undefined) return value;
  const params = { source, reason: "an answer that is no JSON" };
  throw new ZaguanError("SOURCE_ERROR", { params, delivery: "executed" });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wordsOf(value: unknown): string | undefined {
  const words = isFields(value) ? value["message"] : undefined;
  return typeof words === "string" && words !== "" ? words : undefined;
}
