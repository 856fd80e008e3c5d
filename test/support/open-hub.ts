/** A real hub under a fake clock, with sources that do what a test tells them; what they were asked is kept. */
import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/contract/limits.ts";
import type { CallRequest, PassRequest, ToolDefinition } from "../../src/core/call.ts";
import type { HubEvent } from "../../src/core/events.ts";
import { type Attachment, Hub } from "../../src/core/hub.ts";
import { LocalAnswerCache } from "../../src/core/shared/answer-cache.ts";
import { LocalRates } from "../../src/core/shared/rates.ts";
import { ZaguanError } from "../../src/errors.ts";
import { Payload } from "../../src/protocol/json/payload.ts";
import type { Source, SourceRequest } from "../../src/sources/source.ts";
import { FakeClock } from "./fake-clock.ts";
import { ALICE, makeSource } from "./make-call.ts";

export interface OpenHub {
  readonly hub: Hub;
  readonly clock: FakeClock;
  readonly events: HubEvent[];
  /** What was to be kept for the next start. */
  readonly kept: [source: string, tools: string[]][];
  readonly requests: (SourceRequest & { readonly source: string })[];
  /** Sources that were closed. */
  readonly closed: string[];
  /** With these tools known, or none; by default it answers every request with its name. */
  attach(
    name: string,
    known?: readonly ToolDefinition[],
    attachment?: Partial<Attachment>,
    source?: Partial<Source>,
  ): void;
}

/** `also` is told of each event as it happens. */
export function openHub(also: (event: HubEvent) => void = () => {}): OpenHub {
  const clock = new FakeClock();
  const events: HubEvent[] = [];
  const kept: [string, string[]][] = [];
  const requests: (SourceRequest & { source: string })[] = [];
  const closed: string[] = [];
  const limits = {
    ...DEFAULT_LIMITS,
    callSeconds: 30,
    callMaxSeconds: 300,
    queueLength: 10,
    queueBurst: 10,
  };
  const hub = new Hub({
    clock,
    random: () => 0.5,
    emit: (event) => {
      events.push(event);
      also(event);
    },
    checker: { surelyFits: () => false, check: () => [], fitsCoerced: () => false },
    cache: new LocalAnswerCache(1_000_000),
    rates: new LocalRates(() => limits.callsPerMinute),
    limits: () => limits,
    onListed: (source, { tools }) => kept.push([source, tools.map(({ name }) => name)]),
  });
  const attach: OpenHub["attach"] = (name, known, attachment = {}, overrides = {}) => {
    const { request: answer = async () => Payload.ofValue({ from: name }), ...others } = overrides;
    const source = makeSource(name, {
      request: (asked) => {
        requests.push(Object.assign(asked, { source: name }));
        return answer(asked);
      },
      close: async () => void closed.push(name),
      ...others,
    });
    const offered = known && { tools: known, offers: {} };
    hub.attach({ source, policy: { repeatable: [], cacheSeconds: {} }, known: offered, ...attachment });
  };
  return { hub, clock, events, kept, requests, closed, attach };
}

/** A call of this tool by alice. */
export function callOf(tool: string, more: Partial<CallRequest> = {}): CallRequest {
  return { tool, args: Payload.ofText("{}"), principal: ALICE, language: "en", door: "test", ...more };
}

/** Any other request to a source, by alice. */
export function passOf(source: string, method: string, params: string, more: Partial<PassRequest> = {}): PassRequest {
  return { source, method, params: Payload.ofText(params), principal: ALICE, language: "en", door: "test", ...more };
}

/** How a source behaves that never answers. */
export function untilAborted({ signal }: SourceRequest): Promise<Payload> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

export async function failureOf(promise: Promise<unknown>): Promise<ZaguanError> {
  const error = await promise.then(
    () => assert.fail("it did not fail"),
    (cause) => cause,
  );
  assert.ok(error instanceof ZaguanError);
  return error;
}
