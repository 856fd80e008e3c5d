/** A hub of one tool, `lamp`, for doors: what it is asked is kept, and how it answers is the test's choice. */
import type { CallRequest, PassRequest, ToolDefinition } from "../../src/core/call.ts";
import type { Gateway, Servers } from "../../src/core/gateway.ts";
import { Offers } from "../../src/core/offers.ts";
import { Payload } from "../../src/protocol/json/payload.ts";
import { faceOfInitialize } from "../../src/protocol/mcp/face.ts";
import { makeTool } from "./make-call.ts";

export interface FakeGateway extends Gateway, Servers {
  readonly calls: CallRequest[];
  readonly passed: PassRequest[];
  /** What `house` says of itself; undefined: it speaks no MCP. */
  hello: Payload | undefined;
  /** Prompts and resources, as a real hub has them; what is asked of them is passed. */
  readonly offers: Offers;
  /** Notifications that were passed on to the source. */
  readonly told: [method: string, params: string][];
  passAnswer: (request: PassRequest) => Promise<Payload>;
  /** The source says something unasked. */
  says(method: string, params: Payload): void;
  readonly listeners: Set<() => void>;
  tools: readonly ToolDefinition[];
  answer: (request: CallRequest) => Promise<Payload>;
  toolsChanged(): void;
}

export function fakeGateway(): FakeGateway {
  const calls: CallRequest[] = [];
  const listeners = new Set<() => void>();
  const passed: PassRequest[] = [];
  const hearers = new Set<(source: string, method: string, params: Payload) => void>();
  const gateway: FakeGateway = {
    calls,
    passed,
    hello: undefined,
    told: [],
    offers: new Offers({
      isSettled: () => true,
      settled: async () => {},
      join: () => () => {},
      hasOwn: () => false,
      emit: () => {},
      pass: (request) => gateway.pass(request),
      subscribe: (request) => gateway.pass(request),
      unsubscribe: (request) => gateway.pass(request),
    }),
    passAnswer: async () => Payload.ofText("{}"),
    says: (method, params) => {
      for (const hearer of hearers) hearer("house", method, params);
    },
    has: (source) => source === "house",
    isReachable: () => true,
    clashes: () => [],
    renamed: () => undefined,
    named: () => undefined,
    namesVersion: () => 0,
    through: () => gateway,
    faceNow: () => undefined,
    face: async () => gateway.hello && faceOfInitialize(gateway.hello),
    join: () => () => {},
    tell: (_source, method, params) => gateway.told.push([method, params.text]),
    subscribe: (request) => gateway.pass(request),
    unsubscribe: (request) => gateway.pass(request),
    pass: (request) => {
      passed.push(request);
      return gateway.passAnswer(request);
    },
    onNotification: (listener) => {
      hearers.add(listener);
      return () => hearers.delete(listener);
    },
    listeners,
    tools: [makeTool("lamp")],
    answer: async () => Payload.ofText('{"content":[{"type":"text","text":"on"}]}'),
    toolsChanged: () => {
      for (const listener of listeners) listener();
    },
    listTools: async () => gateway.tools.map((definition) => ({ source: "house", definition })),
    findTool: (_principal, name) => gateway.tools.find((tool) => name.replace("house__", "") === tool.name),
    call: (request) => {
      calls.push(request);
      return gateway.answer(request);
    },
    onToolsChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return gateway;
}

/** Never answers; fails as the hub does when the caller leaves. */
export function untilLeft(request: CallRequest, failure: unknown): Promise<Payload> {
  return new Promise((_, reject) => {
    request.signal?.addEventListener("abort", () => reject(failure));
  });
}
