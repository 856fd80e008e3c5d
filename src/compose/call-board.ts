/** Calls as people look at them: those that the hub has under way, and those that the journal remembers. */
import type { Call, Principal } from "../core/call.ts";
import type { Hub } from "../core/hub.ts";
import { STEP_NAMES } from "../core/pipeline.ts";
import type { CallBoard } from "../doors/door.ts";
import type { CallDetail, CallRow, StepView } from "../doors/live/views.ts";
import { type CallJournal, type CallWay, type EndedCall, shortName } from "../observe/journal.ts";
import { systemClock } from "./system.ts";

export function makeCallBoard(hub: Pick<Hub, "running" | "cancel">, journal: CallJournal): CallBoard {
  const running = (principal: Principal): Call[] =>
    hub.running().filter((call) => call.door !== SERVED && maySee(principal, call));
  const find = (id: number, principal: Principal): Call | undefined =>
    running(principal).find((call) => call.id === id);
  const ended = (id: number, principal: Principal): EndedCall | undefined => {
    const call = journal.find(id);
    return call && maySee(principal, call) ? call : undefined;
  };
  return {
    get ended() {
      return journal.ended;
    },
    since: (place, limit, principal) =>
      journal
        .since(place, principal.admin ? limit : Number.POSITIVE_INFINITY)
        .filter((call) => maySee(principal, call))
        .slice(0, limit)
        .map(endedRow),
    running: (principal, limit = Number.POSITIVE_INFINITY) =>
      running(principal)
        .sort((one, other) => other.id - one.id)
        .slice(0, limit)
        .map(runningRow),
    underWay: (principal) => marked(running(principal)),
    find: (id, principal) => {
      const call = find(id, principal);
      if (call) return { ...runningRow(call), ...detailOf(call, journal.wayOf(call), elapsed(call), principal) };
      const past = ended(id, principal);
      return past && { ...endedRow(past), ...detailOf(past, past.way, past.ms, principal) };
    },
    cancel: (id, principal) => {
      if (find(id, principal)) return hub.cancel(id) ? "cancelled" : "ended";
      return ended(id, principal) ? "ended" : undefined;
    },
  };
}

/** The door of calls that are served for another node of the cluster (`nodes/served-calls.ts`): that node shows them. */
const SERVED = "node";

/** What somebody asks of the house is nobody else's business but that of those who look after it. */
function maySee({ admin, id }: Principal, { principal }: { readonly principal: Pick<Principal, "id"> }): boolean {
  return admin === true || principal.id === id;
}

/** Numbers only grow: where as many come as go, their sum does. */
function marked(calls: readonly Call[]): { readonly count: number; readonly mark: string } {
  let [ids, running] = [0, 0];
  for (const { id, trace } of calls) {
    ids += id;
    if (trace.attempts > 0) running++;
  }
  return { count: calls.length, mark: `${calls.length} ${ids} ${running}` };
}

function elapsed(call: Call): number {
  return systemClock.now() - call.startedAt;
}

function runningRow(call: Call): CallRow {
  const { id, door, principal, source, priority, trace } = call;
  const ms = elapsed(call);
  const isRunning = trace.attempts > 0;
  return {
    id,
    door,
    source,
    priority,
    principal: principal.name,
    tool: shortName(call.name),
    startedUtc: new Date(Date.now() - ms).toISOString(),
    state: isRunning ? "running" : "waiting",
    queuedMs: rounded(isRunning ? trace.queuedMs : ms),
    ms: rounded(ms),
    outcome: null,
    cached: trace.cached,
    attempts: trace.attempts,
  };
}

function endedRow(call: EndedCall): CallRow {
  const { id, door, principal, tool, source, priority, outcome, cached, attempts } = call;
  return {
    id,
    door,
    source,
    priority,
    principal: principal.name,
    tool,
    startedUtc: new Date(call.startedAt).toISOString(),
    state: "ended",
    queuedMs: rounded(call.queuedMs),
    ms: rounded(call.ms),
    outcome,
    cached,
    attempts,
  };
}

type Told = Pick<Call, "method" | "language"> &
  ({ readonly deadlineMs: number } | Pick<Call, "deadlineAt" | "startedAt">);

function detailOf(
  call: Told | EndedCall,
  way: CallWay | undefined,
  ms: number,
  principal: Principal,
): Omit<CallDetail, keyof CallRow> {
  const deadlineMs = "deadlineMs" in call ? call.deadlineMs : call.deadlineAt - call.startedAt;
  return {
    method: shortName(call.method),
    language: call.language,
    deadlineMs: Math.round(deadlineMs),
    args: (way && argsFor(principal, way)) ?? null,
    argsKept: way?.args !== undefined,
    steps: way ? stepsOf(way, ms) : [],
    retries: (way?.retries ?? []).map((retry) => ({
      attempt: retry.attempt,
      atMs: rounded(retry.atMs),
      delayMs: rounded(retry.delayMs),
    })),
  };
}

/** What is fixed for an agent is none of its business. */
function argsFor({ admin }: Principal, { args, fixed }: CallWay): unknown {
  if (admin || fixed.length === 0 || typeof args !== "object" || args === null) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !fixed.includes(name)));
}

function stepsOf({ enteredMs }: CallWay, ms: number): StepView[] {
  return enteredMs.map((atMs, place) => ({
    name: STEP_NAMES[place] ?? "",
    atMs: rounded(atMs),
    ms: rounded((enteredMs[place + 1] ?? ms) - atMs),
  }));
}

/** Microseconds are the last that says anything. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
