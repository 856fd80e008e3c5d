/**
 * Tries again where that cannot do harm: what provably never left, and tools that policy or a trusted source calls
 * repeatable. A call that may have run is never run twice; it fails with `delivery: "unknown"`. A source that keeps failing
 * is tried again by its supervisor, and whoever calls is told at once.
 */
import { type Delivery, toZaguanError, withDelivery, type ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import type { Call } from "../call.ts";
import type { AttachedSource, Handler, PipelineContext, StepFactory } from "../pipeline.ts";

/** What asks and changes nothing, by MCP's own definition. */
const READS: ReadonlySet<string> = new Set([
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
]);
const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 100;

export const retry: StepFactory = (context) => (call, next) => {
  call.trace.attempts = 1;
  // Its owner tries again, which knows more.
  if (context.attached(call.source)?.source.isElsewhere) return next(call);
  return next(call).catch((error) => again(context, call, next, toZaguanError(error)));
};

async function again(context: PipelineContext, call: Call, next: Handler, first: ZaguanError): Promise<Payload> {
  let error = first;
  while (call.trace.attempts < MAX_ATTEMPTS && mayRepeat(call, error, context.attached(call.source))) {
    const delayMs = delayBefore(context, call.trace.attempts, error);
    if (call.signal.aborted || context.clock.now() + delayMs >= call.deadlineAt) break;
    context.emit({ type: "call-retried", call, attempt: call.trace.attempts + 1, delayMs });
    await sleep(context, delayMs, call.signal, error.delivery);
    call.trace.attempts++;
    try {
      return await next(call);
    } catch (cause) {
      error = toZaguanError(cause);
    }
  }
  throw error;
}

function mayRepeat(call: Call, error: ZaguanError, attached: AttachedSource | undefined): boolean {
  if (error.delivery === "not_sent") return error.row.retryable && attached?.source.status().state !== "broken";
  if (error.delivery !== "unknown" || error.code === "DEADLINE_EXCEEDED" || !attached) return false;
  if (attached.policy.repeatable.includes(call.name) || READS.has(call.method)) return true;
  const hints = call.tool?.annotations;
  return attached.source.trusted && (hints?.readOnlyHint === true || hints?.idempotentHint === true);
}

/** Exponential with full jitter, but never sooner than the source asked for. */
function delayBefore(context: PipelineContext, attempts: number, error: ZaguanError): number {
  const jittered = context.random() * FIRST_DELAY_MS * 2 ** attempts;
  return Math.max(jittered, error.details.retryAfterMs ?? 0);
}

/** Who leaves while waiting leaves with the fate of the attempt before. */
function sleep(context: PipelineContext, ms: number, signal: CancelSignal, fate: Delivery | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = context.clock.after(ms, () => {
      signal.removeEventListener("abort", leave);
      resolve();
    });
    const leave = () => {
      stop();
      reject(withDelivery(toZaguanError(signal.reason), fate));
    };
    signal.addEventListener("abort", leave, { once: true });
  });
}
