/** Stands between the hub and Prism, passes everything on, and notes what Prism found wrong with each request. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly sent: string;
  readonly status: number;
  /** What was wrong with the request; empty of a good one. */
  readonly faults: readonly string[];
}

export interface Relay {
  readonly url: string;
  /** In the order in which they ended. */
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

export async function openRelay(target: string): Promise<Relay> {
  const exchanges: Exchange[] = [];
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing, target).then(
      (exchange) => exchanges.push(exchange),
      (cause: unknown) => outgoing.destroy(cause instanceof Error ? cause : undefined),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, exchanges, close };
}

async function pass(incoming: IncomingMessage, outgoing: ServerResponse, target: string): Promise<Exchange> {
  const { method = "", url = "", headers } = incoming;
  const body = await bytesOf(incoming);
  // As a stranger would send it to that address; nothing of the path is touched.
  const forward = request(new URL(target), { method, path: url, headers });
  const answered = once(forward, "response");
  forward.end(body);
  const [answer] = (await answered) as [IncomingMessage];
  const content = await bytesOf(answer);
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(content);
  const status = answer.statusCode ?? 502;
  const contentType = headers["content-type"];
  return { method, url, contentType, sent: body.toString("latin1"), status, faults: faultsOf(answer, content) };
}

interface Found {
  readonly location?: readonly string[];
  readonly message?: string;
}

/** Errors of Prism's own are problems with a type of its own; a mocked 422 is none of them. */
function faultsOf(answer: IncomingMessage, content: Buffer): string[] {
  const listed = parsed(answer.headers["sl-violations"]);
  const found = (Array.isArray(listed) ? (listed as Found[]) : []).filter(
    ({ location }) => location?.[0] === "request",
  );
  const told = found.map(({ location, message }) => `${location?.join(".")}: ${message}`);
  const problem = parsed(content.toString()) as { type?: unknown; detail?: unknown; validation?: unknown } | undefined;
  const [, code] = /prism\/errors#(\w+)/.exec(String(problem?.type)) ?? [];
  if (code === undefined || OF_ITS_ANSWER.has(code)) return told;
  return [...told, `${code}: ${String(problem?.detail)} ${JSON.stringify(problem?.validation ?? "")}`];
}

/** It cannot make up an answer: that says nothing of the request. */
const OF_ITS_ANSWER = new Set(["NO_RESPONSE_DEFINED", "NO_COMPLEX_OBJECT_TEXT", "SCHEMA_TOO_COMPLEX"]);

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await stream.toArray());
}
