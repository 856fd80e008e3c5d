import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { ownChildren, until } from "../../test/support/processes.ts";
import type { HubEvent } from "../core/events.ts";
import { ZaguanError } from "../errors.ts";
import { sayEnding } from "../link/ending.ts";
import { Payload } from "../protocol/json/payload.ts";
import { type LineJsonOptions, lineJson } from "./line-json.ts";
import type { Connection } from "./source.ts";

const HOME = fileURLToPath(new URL("../../test/support/line-home.mjs", import.meta.url));
const NEVER = new AbortController().signal;

describe("a line-JSON child as a source", () => {
  test("is ready in spite of a warning on stdout, which is reported, and tells its tools", async () => {
    const { connection, noise, log } = await open([]);
    const tools = await connection.listTools(NEVER);
    assert.equal(tools.length, 6);
    assert.deepEqual(tools[3], {
      name: "set_light_state",
      description: "Herramienta set_light_state",
      inputSchema: {
        type: "object",
        properties: { name: { type: "string" }, on: { type: "boolean" } },
        required: ["name", "on"],
      },
      outputSchema: { type: "object", properties: {} },
    });
    assert.equal(noise.length, 1);
    assert.match(noise[0] ?? "", /^⚠️ {2}Archivo de configuración no encontrado/);
    await until("stderr was read", () => log.length > 0);
    assert.deepEqual(log, ["mcp_home_simulator: listo en stderr"]);
    assert.deepEqual([lineJson.kind, lineJson.concurrency, lineJson.trusted], ["line", 16, false]);
  });

  test("answers with text and, spelled as the child spelled it, structured content", async () => {
    const { connection } = await open([]);
    const payload = await call(connection, "get_presence");
    const text = '{"present": false, "known_people": []}';
    assert.equal(
      payload.text,
      `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}}`,
    );
    await call(connection, "set_light_state", { name: "salon", on: true });
    assert.deepEqual(structured(await call(connection, "list_lights_on")), { on: ["salon"] });
  });

  test("tells a failure of the tool as a result", async () => {
    const { connection } = await open([]);
    const payload = await call(connection, "set_light_state", { name: "ático", on: true });
    assert.deepEqual(payload.value, { content: [{ type: "text", text: "Luz 'ático' no encontrada" }], isError: true });
  });

  test("gives each of many calls at once its own answer", async () => {
    const { connection } = await open([]);
    const names = Array.from({ length: 40 }, (_, index) => `nope-${index}`);
    const answers = await Promise.all(names.map((name) => call(connection, "set_light_state", { name, on: true })));
    assert.deepEqual(
      answers.map(({ value }) => (value as { content: { text: string }[] }).content[0]?.text),
      names.map((name) => `Luz '${name}' no encontrada`),
    );
  });

  test("drops answers to ids that nobody gave, and reports them", async () => {
    const { connection, noise } = await open(["--unknown-ids"]);
    assert.deepEqual(structured(await call(connection, "get_alarm_status")), { armed: false });
    assert.equal(noise.filter((line) => line.includes("424242")).length, 1);
    assert.equal(noise.filter((line) => line.includes('"nobody"')).length, 1);
  });

  test("refuses what the protocol has no word for", async () => {
    const { connection } = await open([]);
    const request = { method: "prompts/get", name: "x", args: Payload.ofText("{}"), signal: NEVER };
    await assert.rejects(connection.request({ ...request, language: "en" }), {
      code: "UNKNOWN_METHOD",
      delivery: "not_sent",
    });
  });
});

describe("a call that is given up", () => {
  test("is no longer waited for, and its late answer is dropped in silence", async () => {
    const { connection, noise } = await open(["--hold-first"]);
    const controller = new AbortController();
    const first = call(connection, "get_presence", {}, controller.signal);
    const reason = new ZaguanError("DEADLINE_EXCEEDED", { params: { source: "home", seconds: 1 } });
    controller.abort(reason);
    await assert.rejects(first, (error) => error === reason);
    assert.deepEqual(structured(await call(connection, "get_alarm_status")), { armed: false });
    assert.deepEqual(structured(await call(connection, "list_lights_on")), { on: [] });
    assert.equal(noise.length, 1);
  });

  test("before it was made never leaves", async () => {
    const { connection } = await open([]);
    const given = call(connection, "set_alarm_state", { armed: true }, AbortSignal.abort());
    await assert.rejects(given, { code: "CANCELLED", delivery: "not_sent" });
    assert.deepEqual(structured(await call(connection, "get_alarm_status")), { armed: false });
  });
});

describe("a child that dies", () => {
  test("leaves the outcome of a call open, and refuses the next", async () => {
    const { connection } = await open(["--die-after", "1"]);
    await call(connection, "get_presence");
    const lost = [call(connection, "set_alarm_state", { armed: true }), call(connection, "get_presence")];
    for (const each of lost) {
      await assert.rejects(each, {
        code: "OUTCOME_UNKNOWN",
        delivery: "unknown",
        details: { params: { source: "home" }, delivery: "unknown", cause: undefined },
      });
    }
    assert.match(sayEnding(await connection.closed), /code 3/);
    await assert.rejects(call(connection, "get_presence"), { code: "SOURCE_UNAVAILABLE", delivery: "not_sent" });
  });

  test("before it is ready is unavailable, for the reason it died of", async () => {
    await assert.rejects(open(["-e", "process.exit(7)"], { script: false }), (error: ZaguanError) => {
      assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
      assert.match(String(error.details.params?.["reason"]), /code 7/);
      return true;
    });
  });
});

describe("readiness", () => {
  test("is given up with the attempt, and nothing is left behind", async () => {
    const controller = new AbortController();
    const before = ownChildren();
    const attempt = open(["--never-ready"], { signal: controller.signal, onNoise: () => controller.abort() });
    await assert.rejects(attempt, { code: "SOURCE_UNAVAILABLE", delivery: "not_sent" });
    assert.deepEqual(ownChildren(), before);
  });

  test("has its time", async () => {
    const clock = new FakeClock();
    const attempt = open(["--never-ready"], { clock, onNoise: () => void clock.advance(4000) });
    await assert.rejects(attempt, (error: ZaguanError) => {
      assert.deepEqual(error.details.params, { source: "home", reason: "not ready within 4 s" });
      return true;
    });
    assert.equal(clock.pending, 0);
  });

  test("of a command that does not exist is refused", async () => {
    const attempt = open([], { options: { command: "no-such-command-anywhere" } });
    await assert.rejects(attempt, { code: "SOURCE_UNAVAILABLE", delivery: "not_sent" });
  });

  test("takes back its timer", async () => {
    const clock = new FakeClock();
    await open([], { clock });
    assert.equal(clock.pending, 0);
  });
});

const opened: Connection[] = [];
after(() => Promise.all(opened.map((connection) => connection.close())));

interface Setup {
  readonly signal?: AbortSignal;
  readonly clock?: FakeClock;
  readonly script?: boolean;
  readonly options?: Partial<LineJsonOptions>;
  readonly onNoise?: () => void;
}

async function open(
  args: readonly string[],
  { signal = NEVER, clock = new FakeClock(), script = true, options = {}, onNoise = () => {} }: Setup = {},
): Promise<{ connection: Connection; noise: string[]; log: string[] }> {
  const noise: string[] = [];
  const log: string[] = [];
  const emit = (event: HubEvent) => {
    if (event.type !== "source-noise") return;
    noise.push(event.line);
    onNoise();
  };
  const full: LineJsonOptions = {
    command: process.execPath,
    args: script ? [HOME, ...args] : args,
    env: {},
    lineBytes: 1_000_000,
    readyMs: 4000,
    ...options,
  };
  const context = {
    name: "home",
    clock,
    emit,
    onToolsChanged: () => {},
    onNotification: () => {},
    onRequest: () => Promise.reject(new Error("not asked")),
    onLog: (line: string) => void log.push(line),
  };
  const connection = await lineJson.connect(full, context, signal);
  opened.push(connection);
  return { connection, noise, log };
}

function call(connection: Connection, name: string, args: object = {}, signal: AbortSignal = NEVER): Promise<Payload> {
  return connection.request({ method: "tools/call", name, args: Payload.ofValue(args), language: "es", signal });
}

function structured(payload: Payload): unknown {
  return (payload.value as { structuredContent: unknown }).structuredContent;
}
