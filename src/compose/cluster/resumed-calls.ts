/**
 * Resumes a suspended call at the node that holds it, for a client that returned to another node. The two nodes speak lines of JSON
 * over one connection: the first line has the client's request; the answer is a line for each notification and one with the result
 * or the error. A node that closes the connection before that has lost its client, or is stopping.
 */
import type { Duplex } from "node:stream";
import { lostNode } from "../../doors/http/forward-request.ts";
import { tellable } from "../../doors/mcp/failure.ts";
import type { ComeBack, Resume } from "../../doors/mcp/session-nodes.ts";
import { type ErrorArguments, ZaguanError } from "../../errors.ts";
import { LightAbort } from "../../light-abort.ts";
import { LineSplitter } from "../../protocol/framing/lines.ts";

type Line =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "result"; readonly text: string }
  | { readonly kind: "error"; readonly error: ErrorArguments };

/** Asks the node at the other end. @param node its name, for errors */
export function resumeThere(
  connection: Duplex,
  node: string,
  ...[back, signal, notify]: Parameters<Resume>
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const hangUp = (): void => void connection.destroy();
  signal.addEventListener("abort", hangUp, { once: true });
  connection.on("close", () => {
    signal.removeEventListener("abort", hangUp);
    reject(signal.aborted ? new ZaguanError("CANCELLED") : lostNode(node));
  });
  onLine<Line>(connection, (line) => {
    if (line.kind === "said") return notify(line.text);
    if (line.kind === "result") resolve(line.text);
    else reject(new ZaguanError(...line.error));
    connection.end();
  });
  if (signal.aborted) hangUp();
  else say(connection, back);
  return promise;
}

/** Answers the node at the other end. @param report logs an unexpected error and returns the reference that the client is told */
export function resumeHere(connection: Duplex, resume: Resume, report: (cause: unknown) => string): void {
  const left = new LightAbort();
  connection.on("close", () => left.abort(new ZaguanError("CANCELLED")));
  const run = async (back: ComeBack): Promise<Line> => {
    try {
      return { kind: "result", text: await resume(back, left, (text) => say(connection, { kind: "said", text })) };
    } catch (cause) {
      const { code, details } = tellable(cause, report);
      return { kind: "error", error: [code, { ...details, cause: undefined }] as ErrorArguments };
    }
  };
  onLine<ComeBack>(connection, (back) => {
    void run(back).then((end) => {
      say(connection, end);
      connection.end();
    });
  });
}

function say(connection: Duplex, line: Line | ComeBack): void {
  if (connection.writable) connection.write(`${JSON.stringify(line)}\n`);
}

function onLine<T>(connection: Duplex, take: (line: T) => void): void {
  const lines = new LineSplitter(Number.POSITIVE_INFINITY, (line) => take(JSON.parse(line) as T));
  connection.on("data", (chunk: Buffer) => lines.push(chunk));
}
