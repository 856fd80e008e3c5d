/**
 * The messages in an answer's body: one JSON text, a JSON array of them, or an event stream. Bytes are counted as they
 * come, and nothing is ever decompressed.
 */
import type { IncomingHttpHeaders } from "node:http";
import { ZaguanError } from "../errors.ts";
import { GrowingBytes } from "../protocol/framing/growing-bytes.ts";
import { SseParser } from "../protocol/framing/sse.ts";
import { cutAndDeliver, deliver, type MessageHandlers } from "./deliver.ts";
import { sourceError } from "./http-failures.ts";

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
  if (status === 202 || status === 204) return new IgnoredBody(options.maxBytes);
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

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Gathers a text, up to a limit. */
export class TextBody {
  readonly #bytes = new GrowingBytes();
  readonly #maxBytes: number;

  constructor(headers: IncomingHttpHeaders, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#limit(Number(headers["content-length"] ?? 0));
  }

  push(chunk: Uint8Array): void {
    this.#limit(this.#bytes.length + chunk.length);
    this.#bytes.append(chunk);
  }

  /** Undefined if it is no UTF-8. */
  text(): string | undefined {
    try {
      return UTF8.decode(this.#bytes.take());
    } catch {
      return undefined;
    }
  }

  #limit(bytes: number): void {
    if (bytes > this.#maxBytes) throw tooLarge(`${this.#maxBytes} bytes`);
  }
}

class JsonBody extends TextBody implements Body {
  readonly #options: BodyOptions;

  constructor(headers: IncomingHttpHeaders, options: BodyOptions) {
    super(headers, options.maxBytes);
    this.#options = options;
  }

  end(): void {
    const { name, handlers } = this.#options;
    const text = this.text();
    if (text === undefined) throw sourceError(name, "an answer that is no text");
    if (!cutAndDeliver(text, handlers)) throw sourceError(name, "an answer that is no JSON");
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
  #left: number;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  push(chunk: Uint8Array): void {
    this.#left -= chunk.length;
    if (this.#left < 0) throw tooLarge("the limit");
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
    throw sourceError(this.#name, "an answer that is neither JSON nor an event stream");
  }

  end(): void {}
}

function tooLarge(limit: string): ZaguanError {
  return new ZaguanError("TOO_LARGE", { params: { what: "an answer", limit } });
}
