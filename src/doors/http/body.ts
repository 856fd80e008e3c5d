/** Reads a request's body as text, within limits. Compressed bodies are refused: a few bytes could become gigabytes. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ZaguanError } from "../../errors.ts";

export function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const refusal = refusalOf(request, maxBytes);
  if (refusal) return Promise.reject(refusal);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.removeAllListeners("data");
        request.resume();
        reject(tooLarge(maxBytes));
      } else chunks.push(chunk);
    });
    request.on("end", () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      if (isUtf8(body)) resolve(body.toString("utf8"));
      else reject(new ZaguanError("BAD_JSON", { params: { reason: "the body is not UTF-8" } }));
    });
    // Node tells of a broken connection by this alone, unless somebody listens for errors too.
    request.on("close", () => request.complete || reject(new ZaguanError("CANCELLED")));
  });
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
