/**
 * The messages in an answer's body: one JSON text, a JSON array of them, or an event stream. Bytes are counted as they
 * come, and nothing is ever decompressed.
 */
import type { IncomingHttpHeaders } from "node:http";
import { answerTooLarge } from "../errors.ts";
import { GrowingText } from "../protocol/framing/growing-text.ts";
import { SseParser } from "../protocol/framing/sse.ts";
import { sourceError } from "./http-failures.ts";
import { cutAndDeliver, deliver, type MessageHandlers } from "./link.ts";

export interface Body {
  push(chunk: Uint8Array): void;
  /** The body is complete. Throws if it turns out unreadable. */
  end(): void;
}

/** How far an event stream has come, to take it up again. */
export interface StreamProgress {
  lastEventId: string | undefined;
  retryMs: number | undefined;
  /** How many events have come so far. */
  events: number;
}

export function noProgress(): StreamProgress {
  return { lastEventId: undefined, retryMs: undefined, events: 0 };
}

export interface BodyOptions {
  readonly name: string;
  readonly maxBytes: number;
  readonly handlers: MessageHandlers;
}

/** Picks the reader for an accepted answer; throws if the answer cannot be read. */
export function openBody(
  status: number,
  headers: IncomingHttpHeaders,
  options: BodyOptions,
  progress: StreamProgress,
): Body {
  refuseEncoding(headers, options.name);
  if (status === 202 || status === 204) return new IgnoredBody(options);
  const type = mediaType(headers);
  if (type === "application/json") return new JsonBody(headers, options);
  if (type === "text/event-stream") return new EventBody(options, progress);
  if (/^application\/([\w.-]+\+)?json$/.test(type)) return new JsonBody(headers, options);
  return new EmptyBody(options.name);
}

export function refuseEncoding(headers: IncomingHttpHeaders, name: string): void {
  if (headers["content-encoding"] === undefined) return;
  const encoding = headers["content-encoding"].trim();
  if (encoding.toLowerCase() === "identity" || encoding === "") return;
  throw sourceError(name, "a compressed answer, though none was asked for", new Error(encoding.slice(0, 40)));
}

export function mediaType(headers: IncomingHttpHeaders): string {
  const type = headers["content-type"];
  if (type === undefined || type === "application/json") return type ?? "";
  return String(type).split(";", 1).join("").trim().toLowerCase();
}

/** More of an answer than this many times its limit is not read, only to know how large it is. */
const ENDLESS_FACTOR = 64;

/** Gathers a text, up to a limit; what is longer is read to its end, so that its size is known, and refused. */
export class TextBody {
  readonly #gathered = new GrowingText({ fatal: true });
  #isText = true;
  readonly #name: string;
  readonly #maxBytes: number;
  #size = 0;

  /** @param name of the source, for the refusal */
  constructor(headers: IncomingHttpHeaders, maxBytes: number, name: string) {
    this.#name = name;
    this.#maxBytes = maxBytes;
    this.#refuse(Number(headers["content-length"] ?? 0), maxBytes);
  }

  push(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.#refuse(this.#size, this.#maxBytes * ENDLESS_FACTOR);
    else this.#decoded(() => this.#gathered.append(chunk));
  }

  /** Undefined if it is no UTF-8. */
  text(): string | undefined {
    this.#refuse(this.#size, this.#maxBytes);
    const text = this.#decoded(() => this.#gathered.take());
    return text?.startsWith("\uFEFF") ? text.slice(1) : text;
  }

  /** Undefined from where on it is no text. */
  #decoded<T>(decode: () => T): T | undefined {
    try {
      return this.#isText ? decode() : undefined;
    } catch {
      this.#isText = false;
      return undefined;
    }
  }

  #refuse(bytes: number, limit: number): void {
    if (bytes > limit) throw answerTooLarge(this.#name, bytes, this.#maxBytes, "unknown");
  }
}

class JsonBody extends TextBody implements Body {
  readonly #options: BodyOptions;

  constructor(headers: IncomingHttpHeaders, options: BodyOptions) {
    super(headers, options.maxBytes, options.name);
    this.#options = options;
  }

  end(): void {
    const { name, handlers } = this.#options;
    const text = this.text();
    if (text === undefined) throw sourceError(name, "an answer that is no text");
    if (!cutAndDeliver(text, handlers)) throw sourceError(name, "its answer is no JSON");
  }
}

export class EventBody implements Body {
  readonly #parser: SseParser;

  /** Keeps `progress` up to date; an event of another type than "message" is none of ours. */
  constructor(options: Pick<BodyOptions, "maxBytes" | "handlers">, progress: StreamProgress) {
    const { maxBytes, handlers } = options;
    this.#parser = new SseParser(
      maxBytes,
      ({ type, data, id }) => {
        progress.events++;
        if (id !== undefined) progress.lastEventId = id;
        if (type === "message") deliver(data, handlers);
      },
      (ms) => {
        progress.retryMs = ms;
      },
      (message) => {
        progress.events++;
        handlers.onTooLarge?.(message);
      },
    );
  }

  push(chunk: Uint8Array): void {
    this.#parser.push(chunk);
  }

  end(): void {
    this.#parser.end();
  }
}

/** For 202 and 204: whatever stands there is decoration, but even that has an end. */
class IgnoredBody implements Body {
  readonly #options: BodyOptions;
  #size = 0;

  constructor(options: BodyOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    const { name, maxBytes } = this.#options;
    this.#size += chunk.length;
    if (this.#size > maxBytes) throw answerTooLarge(name, this.#size, maxBytes, "unknown");
  }

  end(): void {}
}

/** For an answer of some other type: fine as long as there is nothing in it. */
class EmptyBody implements Body {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  push(): void {
    throw sourceError(this.#name, "its answer is neither JSON nor an event stream");
  }

  end(): void {}
}
