/** Payloads as what they are: JSON, text or bytes. Pure. */
import { parseJson } from "../shared/json.ts";
import type { Message } from "./discovery/device.ts";

type Content =
  | { readonly type: "application/json" | "text/plain"; readonly text: string }
  | { readonly type: "application/octet-stream"; readonly base64: string };

const UTF8 = new TextDecoder("utf-8", { fatal: true });
/** No text has these: a payload with one of them is of bytes that happen to be valid UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000E-\u001A\u001C-\u001F]/;

export function contentOf(payload: Buffer): Content {
  const text = textOf(payload);
  if (text === undefined) return { type: "application/octet-stream", base64: payload.toString("base64") };
  const isObject = /^\s*[[{]/.test(text) && jsonOf(text) !== undefined;
  return { type: isObject ? "application/json" : "text/plain", text };
}

/** Undefined of what is no text. */
export function textOf(payload: Buffer): string | undefined {
  try {
    const text = UTF8.decode(payload);
    return CONTROLS.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Undefined of what is no JSON. */
export function jsonOf(text: string): unknown {
  return parseJson(text) ?? undefined;
}

/** One message of a broker as its readers want it: decoded and parsed when the first of them asks, and once for all. */
export class IncomingMessage implements Message {
  readonly #payload: Buffer;
  #text: string | undefined;
  #json: unknown;
  #isDecoded = false;
  #isParsed = false;

  constructor(payload: Buffer) {
    this.#payload = payload;
  }

  get text(): string | undefined {
    if (!this.#isDecoded) this.#text = textOf(this.#payload);
    this.#isDecoded = true;
    return this.#text;
  }

  get json(): unknown {
    if (!this.#isParsed) this.#json = this.text === undefined ? undefined : jsonOf(this.text);
    this.#isParsed = true;
    return this.#json;
  }
}
