/** Runs one tool of one's own: arguments in, MCP's result out. Whatever the handler does, it ends here and harms nobody. */
import { withDelivery, ZaguanError } from "../errors.ts";
import { asAbortSignal, type CancelSignal } from "../light-abort.ts";
import type { Payload } from "../protocol/json/payload.ts";
import { answerOf, failureOf } from "./answer.ts";
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
