/** Calls, sources and the surroundings of a pipeline step, with defaults that a test overrides where it matters. */
import { DEFAULT_LIMITS } from "../../src/contract/limits.ts";
import type { Call, Caller, Principal, ToolDefinition } from "../../src/core/call.ts";
import type { HubEvent } from "../../src/core/events.ts";
import type { PipelineContext } from "../../src/core/pipeline.ts";
import { LocalAnswerCache } from "../../src/core/shared/answer-cache.ts";
import { SourceQueues } from "../../src/core/source-queue.ts";
import { Payload } from "../../src/protocol/json/payload.ts";
import type { Source, SourceRequest } from "../../src/sources/source.ts";
import { FakeClock } from "./fake-clock.ts";

export const ALICE: Principal = { id: "key:alice", kind: "key", name: "alice" };
export const BOB: Principal = { id: "key:bob", kind: "key", name: "bob" };

export function makeTool(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, inputSchema: { type: "object" }, ...more };
}

/** A call of `lamp` at the source `house`, by alice, with 30 s to go from time 0. */
export function makeCall(overrides: Partial<Call> = {}): Call {
  const controller = new AbortController();
  return {
    id: 1,
    source: "house",
    method: "tools/call",
    name: overrides.tool?.name ?? "lamp",
    tool: makeTool("lamp"),
    args: Payload.ofText("{}"),
    meta: undefined,
    params: undefined,
    unchecked: false,
    principal: ALICE,
    language: "en",
    door: "test",
    priority: "MEDIUM",
    startedAt: 0,
    deadlineAt: 30_000,
    freshness: undefined,
    signal: controller.signal,
    onProgress: undefined,
    onNotification: undefined,
    caller: undefined,
    trace: { queuedMs: 0, attempts: 0, cached: false },
    abort: (reason) => controller.abort(reason),
    hold: () => () => {},
    ...overrides,
  };
}

let callers = 0;

/** A client that can be asked, and refuses. */
export function makeCaller(overrides: Partial<Caller> = {}): Caller {
  return {
    identity: `caller ${++callers}`,
    canBeAsked: true,
    capabilities: Payload.ofText("{}"),
    info: undefined,
    comesAgain: false,
    logLevel: undefined,
    wantsLog: () => true,
    request: () => Promise.reject(new Error("not asked")),
    ...overrides,
  };
}

/** A source that answers every request with its name, unless told otherwise. */
export function makeSource(name: string, overrides: Partial<Source> = {}): Source {
  return {
    name,
    kind: "fake",
    trusted: false,
    concurrency: 1,
    listTools: async () => [],
    request: async (request: SourceRequest) => Payload.ofValue({ from: name, tool: request.name }),
    face: async () => undefined,
    notify: () => {},
    status: () => ({ state: "ready", restarts: 0, log: [] }),
    restart: async () => {},
    close: async () => {},
    ...overrides,
  };
}

export interface FakeContext extends PipelineContext {
  readonly clock: FakeClock;
  readonly events: HubEvent[];
}

/** One attached source, `house`; nothing limited, nothing cached, every argument fine. */
export function makeContext(overrides: Partial<PipelineContext> = {}): FakeContext {
  const events: HubEvent[] = [];
  const attached = { source: makeSource("house"), policy: { repeatable: [], cacheSeconds: {} } };
  return {
    random: () => 0.5,
    emit: (event) => events.push(event),
    checker: { surelyFits: () => false, check: () => [], fitsCoerced: () => false },
    cache: new LocalAnswerCache(1_000_000),
    rates: { take: () => 0 },
    queues: new SourceQueues(),
    limits: () => ({ ...DEFAULT_LIMITS, queueLength: 10, queueBurst: 10 }),
    attached: (source) => (source === "house" ? attached : undefined),
    ...overrides,
    clock: (overrides.clock as FakeClock | undefined) ?? new FakeClock(),
    events,
  };
}

/** What a promise came to: "pending" is something to assert, too. */
export function watch<T>(promise: Promise<T>): { state: "pending" | "done" | "failed"; value?: T; error?: unknown } {
  const seen: ReturnType<typeof watch<T>> = { state: "pending" };
  promise.then(
    (value) => Object.assign(seen, { state: "done", value }),
    (error) => Object.assign(seen, { state: "failed", error }),
  );
  return seen;
}
