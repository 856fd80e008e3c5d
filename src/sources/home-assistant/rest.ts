/** What Home Assistant offers over HTTP alone: history, and automations as they are written. */
import { isObject } from "../../contract/rules.ts";
import { ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { HttpCaller, type HttpReply } from "../../link/http-call.ts";
import { HttpStatus, sourceError, unavailable } from "../../link/http-failures.ts";
import { Redaction } from "../../security/redaction.ts";
import { parseJson } from "../shared/json.ts";
import { Refusal } from "../shared/tool-call.ts";
import { type HomeAssistantOptions, type House, MOST_BYTES } from "./house.ts";

/** A caller who gives more time than this has been forgotten by the house. */
const LIMIT_MS = 300_000;
const BOUNDS = { follow: false, maxBytes: MOST_BYTES, limitMs: LIMIT_MS } as const;

interface SiteRequest {
  readonly method: "GET" | "POST";
  /** With its query, beginning with a slash. */
  readonly path: string;
  /** JSON. */
  readonly body?: string | undefined;
}

/** The part of a house that is asked over HTTP. Nothing is opened before the first request. */
export class HouseSite {
  /** Takes the token out of what comes back. */
  readonly redaction: Redaction;
  readonly #options: HomeAssistantOptions;
  readonly #caller: HttpCaller;

  constructor(options: HomeAssistantOptions, name: string) {
    this.redaction = new Redaction([options.token]);
    this.#options = options;
    this.#caller = new HttpCaller({ name, allowPrivate: options.allowPrivate });
  }

  /** Rejects with a ZaguanError that says what is known of the delivery. */
  request({ method, path, body }: SiteRequest, signal: CancelSignal): Promise<HttpReply> {
    const { url, token } = this.#options;
    const type = body === undefined ? undefined : { "content-type": "application/json" };
    const common = { accept: "application/json", "accept-encoding": "identity" };
    const headers = { authorization: `Bearer ${token}`, ...common, ...type };
    return this.#caller.call({ method, url: `${url}${path}`, headers, body, ...BOUNDS, signal });
  }

  /** Cuts what is under way. */
  close(): Promise<void> {
    return this.#caller.close();
  }
}

export function siteOf(options: HomeAssistantOptions, name: string): HouseSite {
  return new HouseSite(options, name);
}

/** Resolves with the JSON of a good answer. Rejects with a Refusal in the house's words, or with a ZaguanError. */
export async function askOverHttp({ site, name }: House, request: SiteRequest, signal: CancelSignal): Promise<unknown> {
  return readAnswer(await site.request(request, signal), name, site.redaction);
}

function readAnswer(reply: HttpReply, source: string, redaction: Redaction): unknown {
  const { status } = reply;
  if (status === 401 || status === 403) {
    throw unavailable(source, `it refused the token (HTTP ${status})`, new HttpStatus(status));
  }
  const value = parseJson(redaction.json(textIn(reply, source)));
  if (status >= 300) throw new Refusal(wordsOf(value) ?? `HTTP ${status}`);
  if (value !== undefined) return value;
  const params = { source, reason: "an answer that is no JSON" };
  throw new ZaguanError("SOURCE_ERROR", { params, delivery: "executed" });
}

function textIn({ bytes, isCut }: HttpReply, source: string): string {
  if (isCut) throw sourceError(source, `an answer larger than ${MOST_BYTES} bytes`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw sourceError(source, "an answer that is no text");
  }
}

function wordsOf(value: unknown): string | undefined {
  const words = isObject(value) ? value["message"] : undefined;
  return typeof words === "string" && words !== "" ? words : undefined;
}
