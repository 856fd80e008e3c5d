/**
 * Drives a request to a server of a stateless revision for a client that cannot come again by itself: what the server
 * wants to know is asked of the client while its request waits, and the request is sent anew with the answers.
 */
import { toZaguanError, withDelivery, ZaguanError } from "../../errors.ts";
import { anyOf, type CancelSignal } from "../../light-abort.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { capabilityFor } from "../../protocol/mcp/client-capabilities.ts";
import {
  type InputRequired,
  type Question,
  readInputRequired,
  retryParams,
} from "../../protocol/mcp/input-required.ts";
import type { ConnectContext, SourceRequest } from "../source.ts";

const MAX_ROUNDS = 10;
/** More than any person would answer; each costs a message to the client. */
const MAX_QUESTIONS = 64;
/** A server that asks nothing and only wants to be asked again is given time to get on. */
const PAUSE_MS = 500;

/** @param send sends the request with these params, under a new id each time */
export async function inRounds(
  request: SourceRequest,
  params: string,
  send: (params: string) => Promise<Payload>,
  context: ConnectContext,
): Promise<Payload> {
  let result = await send(params);
  for (let rounds = 1; ; rounds++) {
    const needed = readInputRequired(result.text);
    if (!needed) return result;
    if (rounds > MAX_ROUNDS) throw fault(context.name, `it asked for input more than ${MAX_ROUNDS} times`);
    const answers = await answersTo(needed, request, context);
    result = await send(retryParams(params, answers, needed.requestState)).catch((error) => {
      // What came before may have had its effects: the call as a whole did leave.
      const failure = toZaguanError(error);
      throw failure.delivery === "not_sent" ? withDelivery(failure, "unknown") : failure;
    });
  }
}

async function answersTo(
  { questions, requestState }: InputRequired,
  request: SourceRequest,
  context: ConnectContext,
): Promise<ReadonlyMap<string, Payload>> {
  if (questions.length > MAX_QUESTIONS) throw fault(context.name, `it asked more than ${MAX_QUESTIONS} things at once`);
  if (questions.length > 0) return await held(request, () => askAll(questions, request, context.name));
  if (requestState === undefined) throw fault(context.name, "it asked for input without saying which");
  await pause(context, request.signal);
  return new Map();
}

/** A call is not late while its client thinks. */
async function held<T>(request: SourceRequest, ask: () => Promise<T>): Promise<T> {
  const goOn = request.hold?.();
  try {
    return await ask();
  } finally {
    goOn?.();
  }
}

/** The first refusal takes the other questions back. */
async function askAll(questions: readonly Question[], request: SourceRequest, source: string) {
  const over = new AbortController();
  const signal = anyOf(request.signal, over.signal);
  try {
    const asked = questions.map(
      async (question) => [question.key, await ask(question, request, source, signal)] as const,
    );
    return new Map(await Promise.all(asked));
  } catch (error) {
    throw refusal(toZaguanError(error), source);
  } finally {
    over.abort(new ZaguanError("CANCELLED"));
  }
}

async function ask({ method, params }: Question, { caller }: SourceRequest, source: string, signal: CancelSignal) {
  const capability = capabilityFor(method);
  if (capability === undefined) throw fault(source, "it asks its client for what no client can be asked");
  if (caller) return await caller.request(method, params, signal);
  throw new ZaguanError("MISSING_CAPABILITY", { params: { capability }, delivery: "executed" });
}

/** What the client says is passed on as the answer to its own request. */
function refusal(error: ZaguanError, source: string): ZaguanError {
  const { relayed } = error.details;
  if (!relayed) return withDelivery(error, "executed");
  const params = { source, reason: relayed.message };
  return new ZaguanError("SOURCE_ERROR", { params, delivery: "executed", relayed, cause: error });
}

function pause({ clock }: ConnectContext, signal: CancelSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      stop();
      reject(withDelivery(toZaguanError(signal.reason), "executed"));
    };
    const stop = clock.after(PAUSE_MS, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

function fault(source: string, reason: string): ZaguanError {
  return new ZaguanError("SOURCE_ERROR", { params: { source, reason }, delivery: "executed" });
}
