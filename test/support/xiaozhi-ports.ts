/** Endpoints that dial, with a hub, a clock and a log in the test's hand; the sockets are real. */
import { randomToken } from "../../src/compose/system.ts";
import type { XiaozhiEndpointConfig } from "../../src/config/types.ts";
import { localForDoors } from "../../src/core/shared/for-doors.ts";
import { XiaozhiEndpoints } from "../../src/doors/xiaozhi/endpoints.ts";
import type { XiaozhiPorts } from "../../src/doors/xiaozhi/ports.ts";
import { ZaguanError } from "../../src/errors.ts";
import { memoryDocuments } from "../../src/store/memory-documents.ts";
import { FakeClock } from "./fake-clock.ts";
import { type FakeGateway, fakeGateway } from "./fake-gateway.ts";
import { until } from "./processes.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Dialled {
  readonly endpoints: XiaozhiEndpoints;
  readonly gateway: FakeGateway;
  readonly clock: FakeClock;
  readonly lines: LogLine[];
  /** Causes that were reported as unexpected. */
  readonly reported: unknown[];
  /** Waits until one of them is in this state. */
  is(state: string, name?: string): Promise<void>;
  /** Lets so much time pass. */
  pass(ms: number): Promise<void>;
}

/** Every random number is nearly 1: a pause is as long as it can be. */
export function dialling(overrides: Partial<XiaozhiPorts> = {}): Dialled {
  const gateway = fakeGateway();
  const clock = new FakeClock();
  const lines: LogLine[] = [];
  const reported: unknown[] = [];
  const at =
    (level: LogLine["level"]) =>
    (message: string, fields: object = {}): void => {
      lines.push({ level, message, fields: fields as LogLine["fields"] });
    };
  const limits = { depth: 64, elements: 10_000, messageBytes: 100_000, sessions: 10, graceMs: 5_000 };
  const endpoints = new XiaozhiEndpoints({
    shared: localForDoors(randomToken),
    gateway,
    offers: gateway.offers,
    clock,
    documents: memoryDocuments(),
    limits: () => limits,
    actingAs: () => Promise.reject(new ZaguanError("NO_SUCH", { params: { kind: "agent", name: "x" } })),
    log: { debug: at("debug"), info: at("info"), warn: at("warn") },
    random: () => 0.999_999,
    report: (cause) => `ref-${reported.push(cause)}`,
    ...overrides,
  });
  const is = (state: string, name?: string): Promise<void> =>
    until(`${name ?? "an endpoint"} is ${state}: ${JSON.stringify(lines.at(-1))}`, () =>
      endpoints.status().some((shown) => shown.state === state && (name ?? shown.name) === shown.name),
    );
  return { endpoints, gateway, clock, lines, reported, is, pass: (ms) => clock.advance(ms) };
}

export function anEndpoint(url: string, more: Partial<XiaozhiEndpointConfig> = {}): XiaozhiEndpointConfig {
  return { url, name: "voice", as: "endpoint", language: "zh", disabled: false, allowPrivate: true, ...more };
}
