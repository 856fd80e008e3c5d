/** Lines that a machine or a person can read, at the level asked for, on the destination asked for. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Call } from "../core/call.ts";
import type { HubEvent } from "../core/events.ts";
import { type Log, logEvents, openLog, terminalLine, type WriteLog } from "./log.ts";

let folder: string;
let destination: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-log-"));
  destination = openSync(join(folder, "log"), "a");
});
afterEach(() => {
  closeSync(destination);
  rmSync(folder, { recursive: true });
});

describe("the log", () => {
  it("writes one JSON line each, at once, with time, level, message and fields", () => {
    openLog({ level: "info", destination }).warn("a message", { source: "home", restarts: 2 });
    const [line] = lines();
    assert.equal(new Date(line?.["time"] as string).toISOString(), line?.["time"]);
    assert.deepEqual(line, { level: "warn", time: line?.["time"], source: "home", restarts: 2, msg: "a message" });
  });

  it("writes nothing below its level, which can change and then holds for children too", () => {
    const log = openLog({ level: "warn", destination });
    const child = log.child({ source: "home" });
    child.info("1");
    log.level("debug");
    child.debug("2");
    child.trace("3");
    child.level("silent");
    log.error("4");
    assert.deepEqual(
      lines().map((line) => line["msg"]),
      ["2"],
    );
  });

  it("gives a child's fields to each of its lines, and the line's own fields win over them", () => {
    const child = openLog({ level: "info", destination }).child({ a: 1, b: 1 }).child({ b: 2, c: 2 });
    child.info("", { c: 3 });
    const [{ a, b, c } = {}] = lines();
    assert.deepEqual([a, b, c], [1, 2, 3]);
  });

  it("hides secrets in messages, fields and children", () => {
    const key = `zgn_${"A1_-".repeat(11)}`;
    const log = openLog({ level: "info", destination }).child({ token: "hush1", note: key });
    log.info(`a key ${key} here`, { headers: { authorization: "hush2" }, err: new Error(`bad ${key}`) });
    const text = readFileSync(join(folder, "log"), "utf8");
    assert.doesNotMatch(text, /hush|A1_-/);
    assert.match(text, /a key zgn_\[redacted\] here/);
  });

  it("cannot be made to write a second line or a second level", () => {
    const log = openLog({ level: "info", destination });
    log.info('one\n{"level":"error"}\r\u2028two', { level: "error", time: "never", msg: "other\nline" });
    const [line, ...more] = lines();
    assert.equal(more.length, 0);
    assert.equal(line?.["level"], "info");
    assert.match(line?.["msg"] as string, /^one\n/);
    assert.deepEqual([line?.["level_"], line?.["time_"], line?.["msg_"]], ["error", "never", "other\nline"]);
  });

  it("tells an error with its code, its cause and its stack", () => {
    const cause = Object.assign(new Error("inner"), { code: "EPIPE" });
    openLog({ level: "info", destination }).error("failed", { err: new TypeError("outer", { cause }) });
    const err = lines()[0]?.["err"] as Record<string, Record<string, unknown>>;
    assert.deepEqual([err["name"], err["message"]], ["TypeError", "outer"]);
    assert.deepEqual([err["cause"]?.["message"], err["cause"]?.["code"]], ["inner", "EPIPE"]);
    assert.match(String(err["stack"]), /log\.test\.ts/);
  });

  it("writes short lines for a person", () => {
    openLog({ level: "info", destination, terminal: true }).info("ready", { source: "home", reason: "two words" });
    assert.match(
      readFileSync(join(folder, "log"), "utf8"),
      /^\d\d:\d\d:\d\d info {2}ready source=home reason="two words"\n$/,
    );
  });

  it("writes to stderr and leaves stdout alone", () => {
    const { status, stdout, stderr } = runScript("", "pipe");
    assert.deepEqual([status, stdout], [0, ""]);
    assert.equal(JSON.parse(stderr).msg, "hello");
  });

  it("lets the process live on if nothing can be written", { skip: !existsSync("/dev/full") }, () => {
    const full = openSync("/dev/full", "w");
    const { status, stdout } = runScript("setTimeout(() => console.log('alive'), 10);", full);
    closeSync(full);
    assert.deepEqual([status, stdout], [0, "alive\n"]);
  });
});

function lines(): Record<string, unknown>[] {
  const text = readFileSync(join(folder, "log"), "utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function runScript(more: string, stderr: "pipe" | number): { status: number | null; stdout: string; stderr: string } {
  const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, "log.ts")).href);
  const script = `const { openLog } = await import(${module}); openLog({ level: "info" }).info("hello"); ${more}`;
  const argv = ["--input-type=module", "-e", script];
  return spawnSync(process.execPath, argv, { encoding: "utf8", stdio: ["ignore", "pipe", stderr] });
}

describe("a line for a terminal", () => {
  it("is local time, level, message, and fields as key=value", () => {
    const time = new Date(2026, 0, 2, 3, 4, 5).toISOString();
    const json = JSON.stringify({
      level: "warn",
      time,
      source: "home",
      n: 2,
      list: ["a"],
      q: "a b",
      e: "",
      msg: "lost",
    });
    assert.equal(terminalLine(json), '03:04:05 warn  lost source=home n=2 list=["a"] q="a b" e=""\n');
  });

  it("has one line, whatever steering characters stand in message, names and values", () => {
    const evil = "\u001b[2J\n\r\u0007\u009b31m\u202eabc\u2028\u007f";
    const line = terminalLine(JSON.stringify({ level: "info", time: "x", msg: evil, [evil]: evil }));
    assert.match(line, /\n$/);
    assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Bidi_Control}\u2028]/u);
    assert.match(line, /\\u001b\[2J\\u000a/);
  });

  it("leaves stack traces to the JSON log", () => {
    const err = { name: "Error", message: "bad", stack: "at somewhere" };
    const line = terminalLine(JSON.stringify({ level: "error", time: "x", msg: "failed", err }));
    assert.match(line, /failed err=\{"name":"Error","message":"bad"\}\n$/);
  });
});

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
