/** How Home Assistant answers over HTTP: JSON from its views, plain text from the server beneath when something is wrong. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { deflateSync } from "node:zlib";

export interface Answer {
  readonly status: number;
  readonly type: "application/json" | "text/plain; charset=utf-8";
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A single state is never compressed. */
  readonly bare?: boolean;
}

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
};
const ALWAYS = {
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
};
const WORTH_COMPRESSING = 1024;

export function json(value: unknown, status = 200): Answer {
  return jsonText(JSON.stringify(value), status);
}

export function jsonText(body: string, status = 200): Answer {
  return { status, type: "application/json", body };
}

export function message(words: string, status = 200): Answer {
  return json({ message: words }, status);
}

export function plain(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, type: "text/plain; charset=utf-8", body: `${status}: ${REASONS[status]}`, headers };
}

export function trouble(): Answer {
  const body = "500 Internal Server Error\n\nServer got itself in trouble";
  return { status: 500, type: "text/plain; charset=utf-8", body, headers: { connection: "close" } };
}

/** @param modern newer ones compress only what is worth it */
export function send(answer: Answer, modern: boolean, request: IncomingMessage, response: ServerResponse): void {
  const long = !modern || answer.body.length > WORTH_COMPRESSING;
  const wanted = /\bdeflate\b/.test(String(request.headers["accept-encoding"]));
  const compress = answer.type === "application/json" && !answer.bare && long && wanted;
  const body = compress ? deflateSync(answer.body) : Buffer.from(answer.body);
  const coding = compress ? { "content-encoding": "deflate" } : {};
  const length = { "content-length": body.length };
  response.writeHead(answer.status, {
    "content-type": answer.type,
    ...coding,
    ...length,
    ...ALWAYS,
    ...answer.headers,
  });
  response.end(body);
}
