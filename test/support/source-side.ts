/** What a kind of source is handed by its supervisor, with everything that it tells kept; for tests of kinds. */
import assert from "node:assert/strict";
import type { Caller } from "../../src/core/call.ts";
import type { Clock } from "../../src/core/ports.ts";
import { EMPTY_OBJECT, Payload } from "../../src/protocol/json/payload.ts";
import type { ConnectContext, SourceRequest } from "../../src/sources/source.ts";

/** A signal that is never aborted. */
export const never: AbortSignal = new AbortController().signal;

export interface Heard {
  readonly context: ConnectContext;
  readonly notifications: { readonly method: string; readonly params: string }[];
  readonly log: string[];
  readonly noise: string[];
  /** What was asked without saying on whose behalf. */
  readonly asked: string[];
  toolsChanged: number;
}

export function hearing(name: string, clock: Clock): Heard {
  const heard: Heard = {
    notifications: [],
    log: [],
    noise: [],
    asked: [],
    toolsChanged: 0,
    context: {
      name,
      clock,
      emit: (event) => event.type === "source-noise" && heard.noise.push(event.line),
      onToolsChanged: () => {
        heard.toolsChanged++;
      },
      onNotification: (method, params) => heard.notifications.push({ method, params: params.text }),
      onRequest: async (method) => {
        heard.asked.push(method);
        return EMPTY_OBJECT;
      },
      onLog: (line) => heard.log.push(line),
    },
  };
  return heard;
}

/** A call of a tool. */
export function request(name: string, more: Partial<SourceRequest> = {}): SourceRequest {
  return { method: "tools/call", name, args: EMPTY_OBJECT, language: "en", signal: never, ...more };
}

/** Any other request, with its params as text. */
export function pass(method: string, params = "{}", more: Partial<SourceRequest> = {}): SourceRequest {
  return request(method, { method, params: Payload.ofText(params), ...more });
}

/** A client that answers what it is asked with what `answer` says. */
export function callerOf(answer: (method: string, params: string) => string, more: Partial<Caller> = {}): Caller {
  return {
    identity: "tester",
    canBeAsked: true,
    comesAgain: false,
    logLevel: undefined,
    capabilities: Payload.ofText('{"elicitation":{},"roots":{}}'),
    info: Payload.ofText('{"name":"their client","version":"1"}'),
    wantsLog: () => true,
    request: async (method, params) => Payload.ofText(answer(method, params.text)),
    ...more,
  };
}

/** The JSON in a result's first text. */
export function textOf(result: Payload): ReturnType<typeof JSON.parse> {
  const { content } = result.value as { content?: readonly { readonly text: string }[] };
  assert.ok(content?.[0], result.text);
  return JSON.parse(content[0].text);
}

export function realClock(): Clock {
  return {
    now: () => performance.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
}
