/**
 * Carries calls through the pipeline: knows those that are on their way, who waits for which source, and tells how each
 * began and ended. What stands here is done for every call, so it makes few objects and no promise more than needed.
 */
import { toZaguanError, ZaguanError } from "../errors.ts";
import { type CancelSignal, LightAbort } from "../light-abort.ts";
import type { Language } from "../messages/catalogue.ts";
import type { Payload } from "../protocol/json/payload.ts";
import { memberOf } from "../protocol/json/scan.ts";
import { membersOf } from "../protocol/json/text-edit.ts";
import type { Call, Caller, CallRequest, CallTrace, NotificationSink, Principal, Priority } from "./call.ts";
import type { Callers, Waiting } from "./callers.ts";
import type { Emit } from "./events.ts";
import type { Handler } from "./pipeline.ts";
import type { Clock, Random } from "./ports.ts";

/** What is asked of whom. */
export type Subject = Pick<
  Call,
  "source" | "method" | "name" | "tool" | "args" | "fixed" | "meta" | "params" | "unchecked"
>;
/** Who asks, and how. */
type Circumstances = Omit<CallRequest, "args" | "meta" | "params" | "unchecked">;

interface CallRunnerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  limits(): { readonly callSeconds: number; readonly callMaxSeconds: number };
}

export class CallRunner {
  readonly #ports: CallRunnerPorts;
  readonly #callers: Callers;
  readonly #run: Handler;
  #closed = false;
  #nextCall = 1;

  constructor(ports: CallRunnerPorts, callers: Callers, run: Handler) {
    this.#ports = ports;
    this.#callers = callers;
    this.#run = run;
  }

  get inFlight(): number {
    return this.#callers.waiting;
  }

  carry(subject: Subject, request: Circumstances): Promise<Payload> {
    const call = this.#begin(subject, request);
    this.#ports.emit({ type: "call-started", call });
    return this.#started(call).then(
      (result) => {
        if (call.trace.entered) call.trace.toolFailed = saysItFailed(result);
        this.#end(call, undefined);
        return result;
      },
      (cause) => {
        const error = this.#end(call, this.#named(call.judged(toZaguanError(cause))));
        // In the caller's own words, which need not be the source's name for it.
        throw error?.code === "UNKNOWN_TOOL" ? unknownTool(request.tool) : error;
      },
    );
  }

  /** Carries a call whose way began at another node of the cluster: that node tells of it. */
  async serve(subject: Subject, request: Circumstances, run: Handler): Promise<Payload> {
    const call = this.#begin(subject, request);
    try {
      return await run(call);
    } catch (cause) {
      throw this.#named(toZaguanError(cause));
    } finally {
      call.release();
      this.#callers.leave(call);
    }
  }

  /** Records a call of a tool that is not there, which goes no way. */
  refuse(subject: Subject, request: Circumstances): Promise<never> {
    const call = this.#begin(subject, request);
    this.#ports.emit({ type: "call-started", call });
    return Promise.reject(this.#end(call, unknownTool(request.tool)));
  }

  /** All that are on their way. */
  running(): readonly Call[] {
    return this.#callers.allWaiting() as readonly CallOnItsWay[];
  }

  /** Ends one that is on its way, on behalf of somebody who looks after the hub; false if there is none of that number. */
  cancel(id: number): boolean {
    const call = (this.#callers.allWaiting() as readonly CallOnItsWay[]).find((one) => one.id === id);
    call?.stop();
    return call !== undefined;
  }

  /** Takes no more calls and ends those under way: their callers are told. */
  end(): void {
    this.#closed = true;
    for (const call of this.#callers.allWaiting()) call.leave();
  }

  #begin(subject: Subject, request: Circumstances): CallOnItsWay {
    const startedAt = this.#ports.clock.now();
    const { callSeconds, callMaxSeconds } = this.#ports.limits();
    const mostMs = callMaxSeconds * 1_000;
    const usualMs = Math.min(callSeconds * 1_000, request.usualMs ?? mostMs);
    const patienceMs = Math.min(request.timeoutMs ?? usualMs, mostMs);
    // Who says how long it waits means it; for the others a source that is seen to work on is waited for.
    const latest = startedAt + (request.timeoutMs === undefined ? mostMs : patienceMs);
    const times = { startedAt, patienceMs, latest, now: () => this.#ports.clock.now() };
    const call = new CallOnItsWay(this.#nextCall++, subject, request, times);
    if (this.#closed) call.leave();
    this.#callers.enter(call);
    return call;
  }

  /** A step that throws instead of rejecting has failed all the same. */
  #started(call: Call): Promise<Payload> {
    try {
      return this.#run(call);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  #end(call: CallOnItsWay, error: ZaguanError | undefined): ZaguanError | undefined {
    call.release();
    this.#callers.leave(call);
    const { attempts, cached } = call.trace;
    const ms = this.#ports.clock.now() - call.startedAt;
    this.#ports.emit({ type: "call-ended", call, ms, attempts, cached, error: error?.code });
    return error;
  }

  /** An unexpected failure gets a reference that the log repeats. */
  #named(error: ZaguanError): ZaguanError {
    if (error.code !== "INTERNAL" || error.details.params) return error;
    const reference = Math.floor(this.#ports.random() * 0xffff_ffff).toString(36);
    this.#ports.emit({ type: "internal-error", reference, cause: error.cause });
    return new ZaguanError("INTERNAL", { ...error.details, params: { reference } });
  }
}

export function unknownTool(tool: string): ZaguanError {
  return new ZaguanError("UNKNOWN_TOOL", { params: { tool: tool.slice(0, 200) }, delivery: "not_sent" });
}

/** MCP's own word for it. It is looked for before it is looked at: it may also stand in what the tool tells. */
function saysItFailed({ text }: Payload): boolean {
  if (!/"isError"\s*:\s*true/.test(text)) return false;
  const said = memberOf(membersOf(text), "isError");
  return said !== undefined && text.slice(said.start, said.end) === "true";
}

const LOG_MESSAGE = "notifications/message";

/** How long a call may take, on the clock of the ports. */
interface Times {
  readonly startedAt: number;
  /** Without a sign of life. */
  readonly patienceMs: number;
  /** Whatever signs of life there are. */
  readonly latest: number;
  now(): number;
}

/** One object is the call, its signal's owner and its place among those who wait. */
class CallOnItsWay implements Call, Waiting {
  readonly id: number;
  readonly source: string;
  readonly method: string;
  readonly name: string;
  readonly tool: Call["tool"];
  readonly args: Payload;
  readonly fixed: Call["fixed"];
  readonly meta: Payload | undefined;
  readonly params: Payload | undefined;
  readonly unchecked: boolean;
  readonly principal: Principal;
  readonly language: Language;
  readonly door: string;
  readonly priority: Priority;
  readonly startedAt: number;
  deadlineAt: number;
  readonly freshness: Call["freshness"];
  readonly signal: LightAbort = new LightAbort();
  readonly onProgress: ((progress: Payload) => void) | undefined;
  readonly onNotification: NotificationSink | undefined;
  readonly caller: Caller | undefined;
  place = -1;
  readonly trace: CallTrace;
  readonly #left: CancelSignal | undefined;
  readonly #times: Times;
  #holds = 0;
  #isStopped = false;

  constructor(id: number, subject: Subject, request: Circumstances, times: Times) {
    this.id = id;
    this.source = subject.source;
    this.method = subject.method;
    this.name = subject.name;
    this.tool = subject.tool;
    this.args = subject.args;
    this.fixed = subject.fixed;
    this.meta = subject.meta;
    this.params = subject.params;
    this.unchecked = subject.unchecked;
    this.principal = request.principal;
    this.language = request.language;
    this.door = request.door;
    this.priority = request.priority ?? "MEDIUM";
    this.#times = times;
    this.startedAt = times.startedAt;
    this.deadlineAt = times.startedAt + times.patienceMs;
    this.freshness = request.freshness;
    this.onProgress = request.onProgress && this.#noticing(request.onProgress);
    this.onNotification = wanted(request);
    this.caller = request.caller;
    this.trace = request.trace ?? { queuedMs: 0, attempts: 0, cached: false, entered: undefined, toolFailed: false };
    this.#left = request.signal;
    if (this.#left?.aborted) this.leave();
    else this.#left?.addEventListener("abort", this.leave);
  }

  get principalId(): string {
    return this.principal.id;
  }

  /** While it is held, it has all the time that there is. */
  hold(): () => void {
    this.#holds += 1;
    this.deadlineAt = this.#times.latest;
    return () => {
      this.#holds -= 1;
      this.#lives();
    };
  }

  #lives(): void {
    const { latest, patienceMs, now } = this.#times;
    if (this.#holds === 0) this.deadlineAt = Math.min(now() + patienceMs, latest);
  }

  #noticing(told: (progress: Payload) => void): (progress: Payload) => void {
    return (progress) => {
      this.#lives();
      told(progress);
    };
  }

  abort(reason: unknown): void {
    this.signal.abort(reason);
  }

  stop(): void {
    this.#isStopped = true;
    this.leave();
  }

  /** On the way down there is one word for every end that did not come by itself; the caller did not say it. */
  judged(error: ZaguanError): ZaguanError {
    if (!this.#isStopped || error.code !== "CANCELLED") return error;
    const delivery = error.delivery ?? (this.trace.attempts > 0 ? "unknown" : "not_sent");
    return new ZaguanError("STOPPED", { ...error.details, delivery });
  }

  readonly leave = (): void => this.signal.abort(new ZaguanError("CANCELLED"));

  release(): void {
    this.#left?.removeEventListener("abort", this.leave);
  }
}

/** Log messages that the caller did not ask for are kept from it. */
function wanted({ caller, onNotification }: Circumstances): NotificationSink | undefined {
  if (!onNotification || !caller) return onNotification;
  return (method, params) => {
    const isLog = method === LOG_MESSAGE;
    if (!isLog || caller.wantsLog((params.value as { level?: unknown } | null)?.level)) onNotification(method, params);
  };
}
