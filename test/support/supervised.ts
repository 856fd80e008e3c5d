/** A supervised source of a fake kind under a fake clock, with all that it said. */
import type { HubEvent } from "../../src/core/events.ts";
import { EMPTY_OBJECT, type Payload } from "../../src/protocol/json/payload.ts";
import type { Source, SourceRequest } from "../../src/sources/source.ts";
import { type SupervisorPolicy, supervise } from "../../src/sources/supervisor.ts";
import { FakeClock } from "./fake-clock.ts";
import { type FakeConnection, FakeKind } from "./fake-kind.ts";

type StateEvent = Extract<HubEvent, { type: "source-state" }>;

export interface Supervised {
  readonly clock: FakeClock;
  readonly kind: FakeKind;
  readonly events: readonly HubEvent[];
  readonly source: Source;
  /** How often it was told that the tools changed. */
  toolsChanged(): number;
  states(): string[];
  /** The last change of state. */
  last(): StateEvent;
  request(name: string, signal?: AbortSignal): Promise<Payload>;
  /** Brings it to readiness. */
  live(): Promise<FakeConnection>;
  /** Lets this many connects in a row fail, and the waits between them pass. */
  fail(times: number): Promise<void>;
}

/** A signal that is never aborted. */
export const never: AbortSignal = new AbortController().signal;

export function buildSupervised(
  policy: Partial<SupervisorPolicy> = {},
  { installs = false }: { readonly installs?: boolean } = {},
): Supervised {
  const clock = new FakeClock();
  const kind = new FakeKind(installs);
  const events: HubEvent[] = [];
  let changes = 0;
  const onToolsChanged = (): void => {
    changes += 1;
  };
  const ports = { clock, random: () => 0.9999, emit: (event: HubEvent) => events.push(event) };
  const source: Source = supervise(kind, "s", "options", { readyMs: 10_000, onToolsChanged, ...policy }, ports);
  const stateEvents = (): StateEvent[] => events.filter((event) => event.type === "source-state");
  return {
    clock,
    kind,
    events,
    source,
    toolsChanged: () => changes,
    states: () => stateEvents().map(({ state }) => state),
    last: () => stateEvents().at(-1) as StateEvent,
    request: (name: string, signal = never) => source.request(requestOf(name, signal)),
    live: async (): Promise<FakeConnection> => {
      const tools = source.listTools(never);
      await clock.advance(0);
      const connection = kind.last.succeed();
      await tools;
      return connection;
    },
    fail: async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) {
        await clock.advance(0);
        kind.last.fail("command not found: foo");
        await clock.advance(0);
        const { state, nextTryMs = 0 } = stateEvents().at(-1) as StateEvent;
        if (state === "waiting") await clock.advance(nextTryMs);
      }
    },
  };
}

function requestOf(name: string, signal: AbortSignal): SourceRequest {
  return { method: "tools/call", name, args: EMPTY_OBJECT, language: "en", signal };
}
