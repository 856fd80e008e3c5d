/**
 * The last calls, for people who look. Every call leaves a row; how it went step by step, and with which arguments, is kept
 * of so many in a second only, since in a flood nobody reads them and everybody would pay. Arguments are stripped of secrets
 * when they are taken in: what is not kept cannot be shown.
 */
import type { Call, CallTrace, Principal, Priority } from "../core/call.ts";
import type { HubEvent } from "../core/events.ts";
import { redactArguments } from "./redact.ts";

/** A call that has ended. */
export interface EndedCall {
  /** Grows from one to the next, in the order in which they ended. */
  readonly place: number;
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly door: string;
  readonly principal: Pick<Principal, "id" | "name">;
  readonly tool: string;
  readonly source: string;
  readonly method: string;
  readonly language: string;
  readonly priority: Priority;
  readonly queuedMs: number;
  readonly ms: number;
  readonly deadlineMs: number;
  readonly outcome: string;
  readonly cached: boolean;
  readonly attempts: number;
  readonly way: CallWay | undefined;
}

/** How one call went. */
export interface CallWay {
  /** Undefined where they were too long to be kept. */
  readonly args: unknown;
  /** Which of them the caller did not give, and is not to see. */
  readonly fixed: readonly string[];
  /** By the place of a step in the pipeline: when it was entered, since the call began. */
  readonly enteredMs: readonly number[];
  readonly retries: readonly CallRetry[];
}

interface CallRetry {
  readonly attempt: number;
  readonly atMs: number;
  readonly delayMs: number;
}

const KEPT_CALLS = 1_000;
const FOLLOWED_PER_SECOND = 50;
const MOST_ARGUMENTS = 4_000;
const LONGEST_NAME = 200;

export class CallJournal {
  readonly #rows: (EndedCall | undefined)[] = new Array(KEPT_CALLS).fill(undefined);
  /** Of the calls under way that are followed; by what stays the same where a call goes on for several callers. */
  readonly #retries = new WeakMap<CallTrace, CallRetry[]>();
  readonly #now: () => number;
  #ended = 0;
  #second = 0;
  #followed = 0;

  /** `now` is the clock by which calls are timed, which need not be the time of day. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  take(event: HubEvent): void {
    if (event.type === "call-started") this.#started(event.call);
    else if (event.type === "call-ended") this.#end(event);
    else if (event.type === "call-retried") this.#retried(event);
  }

  /** How many have ended since the start. */
  get ended(): number {
    return this.#ended;
  }

  /** Those that ended after so many had ended, the newest first. */
  since(ended: number, limit: number): readonly EndedCall[] {
    const found: EndedCall[] = [];
    const oldest = Math.max(ended, this.#ended - KEPT_CALLS);
    for (let place = this.#ended - 1; place >= oldest && found.length < limit; place--) {
      const row = this.#rows[place % KEPT_CALLS];
      if (row) found.push(row);
    }
    return found;
  }

  find(id: number): EndedCall | undefined {
    return this.#rows.find((row) => row?.id === id);
  }

  /** Of one that is still under way. */
  wayOf(call: Call): CallWay | undefined {
    const { entered } = call.trace;
    if (!entered) return undefined;
    return {
      args: shownArguments(call),
      fixed: Object.keys(call.fixed ?? {}),
      enteredMs: entered.map((at) => at - call.startedAt),
      retries: this.#retries.get(call.trace) ?? [],
    };
  }

  #started(call: Call): void {
    const second = Math.floor(call.startedAt / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#followed = 0;
    }
    if (this.#followed++ < FOLLOWED_PER_SECOND) call.trace.entered = [];
  }

  #retried({ call, attempt, delayMs }: Extract<HubEvent, { type: "call-retried" }>): void {
    if (!call.trace.entered) return;
    const known = this.#retries.get(call.trace) ?? [];
    this.#retries.set(call.trace, [...known, { attempt, atMs: this.#now() - call.startedAt, delayMs }]);
  }

  #end({ call, ms, attempts, cached, error }: Extract<HubEvent, { type: "call-ended" }>): void {
    const { trace } = call;
    // V8 keeps a whole message alive for a substring of it, so a name that the caller made up is copied.
    const isMadeUp = !call.tool || error === "UNKNOWN_TOOL";
    const name = isMadeUp ? copied(shortName(call.name)) : call.name;
    const method = call.tool ? call.method : name;
    const place = this.#ended++;
    this.#rows[place % KEPT_CALLS] = {
      place,
      id: call.id,
      startedAt: Date.now() - ms,
      door: call.door,
      principal: call.principal,
      tool: name,
      source: call.source,
      method,
      language: call.language,
      priority: call.priority,
      // Who gave up waiting never got as far as having its wait written down.
      queuedMs: error === "QUEUE_TIMEOUT" ? ms : trace.queuedMs,
      ms,
      deadlineMs: call.deadlineAt - call.startedAt,
      outcome: error ?? (trace.toolFailed ? "tool-failed" : "ok"),
      cached,
      attempts,
      way: this.wayOf(call),
    };
  }
}

function shownArguments({ args, tool }: Call): unknown {
  return args.text.length > MOST_ARGUMENTS ? undefined : redactArguments(args.value, tool?.inputSchema);
}

/** A client may ask a server for anything, in as many letters as it likes. */
export function shortName(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME).toWellFormed()}…` : name;
}

function copied(text: string): string {
  return Buffer.from(text).toString();
}
