/** Reads a request's body as text, within limits. Compressed bodies are refused: a few bytes could become gigabytes. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ZaguanError } from "../../errors.ts";

export class BodyReader {
  readonly text: Promise<string>;
  readonly #chunks: Buffer[] = [];
  readonly #maxBytes: number;
  readonly #resolve: (text: string) => void;
  readonly #reject: (error: ZaguanError) => void;
  #size = 0;

  constructor(request: IncomingMessage, maxBytes: number) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.text = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#maxBytes = maxBytes;
    const refusal = refusalOf(request, maxBytes);
    if (refusal) reject(refusal);
    else request.on("data", (chunk: Buffer) => this.#take(chunk, request)).on("end", () => this.#end());
  }

  /** To be called when the connection breaks, of which Node does not tell the request. */
  giveUp(): void {
    this.#reject(new ZaguanError("CANCELLED"));
  }

  #take(chunk: Buffer, request: IncomingMessage): void {
    this.#size += chunk.length;
    if (this.#size <= this.#maxBytes) this.#chunks.push(chunk);
    else {
      request.removeAllListeners("data");
      request.resume();
      this.#reject(tooLarge(this.#maxBytes));
    }
  }

  #end(): void {
    const chunks = this.#chunks;
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    if (isUtf8(body)) this.#resolve(body.toString("utf8"));
    else this.#reject(new ZaguanError("BAD_JSON", { params: { reason: "the body is not UTF-8" } }));
  }
}

/** Only declared JSON is read: what a web form can send without asking (text/plain, forms) must not act on the house. */
function refusalOf(request: IncomingMessage, maxBytes: number): ZaguanError | undefined {
  const { headers } = request;
  const type = headers["content-type"] ?? "";
  if (!isJsonType(type)) return unsupported(type || "nothing");
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") return unsupported(encoding);
  return Number(headers["content-length"] ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined;
}

function isJsonType(type: string): boolean {
  if (type === "application/json") return true;
  const [media = "", ...parameters] = type.toLowerCase().split(";");
  if (media.trim() !== "application/json") return false;
  return parameters.every((parameter) => /^\s*charset\s*=\s*"?utf-?8"?\s*$/.test(parameter));
}

function unsupported(type: string): ZaguanError {
  return new ZaguanError("UNSUPPORTED_MEDIA", { params: { type: type.slice(0, 60) } });
}

function tooLarge(limit: number): ZaguanError {
  return new ZaguanError("TOO_LARGE", { params: { what: "a request's body", limit: `${limit} bytes` } });
}
