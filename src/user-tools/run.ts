/** Runs one tool of one's own: arguments in, MCP's result out. Whatever the handler does, it ends here and harms nobody. */
import { withDelivery, ZaguanError } from "../errors.ts";
import { asAbortSignal, type CancelSignal } from "../light-abort.ts";
import { type Language, say, sayError } from "../messages/catalogue.ts";
import { Payload } from "../protocol/json/payload.ts";
import { argumentsFor } from "./arguments.ts";
import type { AnyUserTool, HandlerContext } from "./tool.ts";

/**
 * Rejects with a ZaguanError if the arguments are not the tool's, or if the signal is aborted first: a handler that never
 * returns is waited for no longer than that. Its own failure is a result.
 */
export async function runTool(tool: AnyUserTool, given: unknown, context: HandlerContext): Promise<Payload> {
  const { language, signal } = context;
  if (signal.aborted) throw endOf(signal, "not_sent");
  const args = argumentsFor(tool, given, language);
  return await unlessAborted(signal, async () => {
    try {
      return answerOf(await tool.handler(args, offered(context)), language);
    } catch (thrown) {
      return failureOf(thrown, language);
    }
  });
}

/** Handlers hand the signal to `fetch` and the like, which take the platform's only; it is made when one is asked for. */
function offered({ language, signal, principal }: HandlerContext): HandlerContext {
  return {
    language,
    principal,
    get signal() {
      return asAbortSignal(signal);
    },
  };
}

function unlessAborted(signal: CancelSignal, run: () => Promise<Payload>): Promise<Payload> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(endOf(signal, "unknown"));
    // Before the handler's own listeners, so that what it throws on hearing of the end is not taken for an answer.
    signal.addEventListener("abort", onAbort, { once: true });
    void run()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function endOf({ reason }: CancelSignal, delivery: "not_sent" | "unknown"): ZaguanError {
  const error = reason instanceof ZaguanError ? reason : new ZaguanError("CANCELLED", { cause: reason });
  return withDelivery(error, delivery);
}

/** A handler that says nothing has done its work. */
const DONE = "true";

/**
 * What a handler answered, as MCP's result. It is written out at once: what the handler does to its object later is not
 * the caller's business, and what cannot be written is found here.
 */
function answerOf(answer: unknown, language: Language): Payload {
  try {
    return success(answer) ?? failure(say(language, "own.unfitAnswer", { what: typeof answer }));
  } catch (cause) {
    // A circle, a bigint deep inside, a toJSON that throws.
    return failure(say(language, "own.unfitAnswer", { what: firstLine(cause) }));
  }
}

/** Seed 002's convention: the reason is the text; and once more as `error`, which is all that one popular server reads. */
function failure(text: string): Payload {
  return Payload.ofValue({ content: [{ type: "text", text }], isError: true, error: text });
}

/** Of what was thrown, its message alone: a stack is for whoever wrote the tool. */
function failureOf(thrown: unknown, language: Language): Payload {
  const text = reasonOf(thrown, language).trim();
  return failure(text === "" ? say(language, "own.failed") : text);
}

function reasonOf(thrown: unknown, language: Language): string {
  try {
    if (thrown instanceof ZaguanError) return sayError(language, thrown);
    if (thrown instanceof Error) return String(thrown.message);
    return typeof thrown === "string" || typeof thrown === "number" ? String(thrown) : "";
  } catch {
    return "";
  }
}

/** Undefined where it is nothing that can be said. */
function success(answer: unknown): Payload | undefined {
  switch (typeof answer) {
    case "boolean":
    case "number":
    case "bigint":
    case "string":
      return textResult(String(answer));
    case "undefined":
      return textResult(DONE);
    case "object":
      return answer === null ? textResult(DONE) : objectResult(answer);
    default:
      return undefined;
  }
}

function objectResult(answer: object): Payload | undefined {
  if (isContent(answer)) return result(JSON.stringify([answer]));
  const json: string | undefined = JSON.stringify(answer);
  if (json === undefined) return undefined;
  if (Array.isArray(answer) && answer.length > 0 && answer.every(isContent)) return result(json);
  // A date, or a list of other things, has no place where MCP expects an object.
  return textResult(json, json.startsWith("{") ? json : undefined);
}

function textResult(text: string, structured?: string): Payload {
  return result(JSON.stringify([{ type: "text", text }]), structured);
}

function result(content: string, structured?: string): Payload {
  const more = structured === undefined ? "" : `,"structuredContent":${structured}`;
  return Payload.ofText(`{"content":${content}${more},"isError":false}`);
}

function isContent(value: unknown): boolean {
  const { type, text, data, mimeType } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (type === "text") return typeof text === "string";
  return (type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string";
}

function firstLine(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split("\n", 1)[0] ?? "";
}
