/** Each event of the hub is one line, at the level at which somebody wants to read it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call } from "../core/call.ts";
import type { HubEvent } from "../core/events.ts";
import type { Log, WriteLog } from "./log.ts";
import { logEvents } from "./log-events.ts";

const TOLD = { id: 7, door: "mcp", principal: "local", source: "home", tool: "light_on", priority: "HIGH" };
/** Its arguments are nobody's business. */
const CALL = {
  ...TOLD,
  name: TOLD.tool,
  principal: { id: "local", kind: "local", name: "local" },
  args: { text: '{"pin":"1234"}' },
} as unknown as Call;
const FAULT = new Error("inner");
const ENDED = { type: "call-ended", call: CALL, ms: 12, attempts: 1, cached: false } as const;

const CASES: readonly { event: HubEvent; level: string; fields: object }[] = [
  { event: { type: "call-started", call: CALL }, level: "trace", fields: TOLD },
  { event: ENDED, level: "debug", fields: { ...TOLD, ms: 12, attempts: 1, cached: false } },
  {
    event: { ...ENDED, error: "INVALID_ARGUMENT" },
    level: "debug",
    fields: { ...TOLD, ms: 12, attempts: 1, cached: false, error: "INVALID_ARGUMENT" },
  },
  {
    event: { ...ENDED, error: "INTERNAL" },
    level: "warn",
    fields: { ...TOLD, ms: 12, attempts: 1, cached: false, error: "INTERNAL" },
  },
  {
    event: { type: "call-retried", call: CALL, attempt: 2, delayMs: 100 },
    level: "debug",
    fields: { ...TOLD, attempt: 2, delayMs: 100 },
  },
  state("waiting", "warn"),
  state("broken", "error"),
  state("ready", "info"),
  state("starting", "debug"),
  state("idle", "debug"),
  state("closed", "debug"),
  plain("source-noise", "debug", { source: "home", line: "hello" }),
  plain("tools-changed", "info", { source: "home", count: 3 }),
  plain("name-clash", "warn", { tool: "light_on", keeper: "home", renamed: "other__light_on" }),
  plain("config-reloaded", "info", { added: ["a"], removed: [], changed: ["b"] }),
  plain("config-refused", "error", { reason: "bad port" }),
  {
    event: { type: "internal-error", reference: "a1b2", cause: FAULT },
    level: "error",
    fields: { reference: "a1b2", err: FAULT },
  },
];

describe("logging events", () => {
  for (const { event, level, fields } of CASES) {
    const { state = "", error = "" } = event as { state?: string; error?: string };
    it(`writes ${[event.type, state, error].filter(Boolean).join(" ")} at ${level}`, () => {
      const written = record(event);
      assert.deepEqual(
        written.map((line) => [line.level, line.fields]),
        [[level, fields]],
      );
      assert.match(written[0]?.message ?? "", /^[a-z]/);
    });
  }

  it("cuts noise to 200 characters, never through one", () => {
    const [line] = record({ type: "source-noise", source: "home", line: `${"x".repeat(199)}🏠 and more` });
    assert.deepEqual(line?.fields, { source: "home", line: `${"x".repeat(199)}\ufffd` });
  });
});

function state(name: Extract<HubEvent, { type: "source-state" }>["state"], level: string): (typeof CASES)[number] {
  return plain("source-state", level, { source: "home", state: name, reason: "exit 1", restarts: 2, nextTryMs: 400 });
}

function plain(type: HubEvent["type"], level: string, fields: object): (typeof CASES)[number] {
  return { event: { type, ...fields } as HubEvent, level, fields };
}

function record(event: HubEvent): { level: string; message: string; fields: object | undefined }[] {
  const written: ReturnType<typeof record> = [];
  const at =
    (level: string): WriteLog =>
    (message, fields) =>
      written.push({ level, message, fields });
  const log: Log = {
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isOn: () => true,
    child: () => log,
    level: () => {},
  };
  logEvents(log)(event);
  return written;
}
