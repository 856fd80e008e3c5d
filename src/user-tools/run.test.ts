import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ZaguanError } from "../errors.ts";
import { LightAbort } from "../light-abort.ts";
import type { Language } from "../messages/catalogue.ts";
import { defineTool, integer, string } from "./index.ts";
import { runTool } from "./run.ts";
import type { AnyUserTool, HandlerContext, UserTool } from "./tool.ts";

type Handler = UserTool["handler"];
const PICTURE = { type: "image", data: "aGk=", mimeType: "image/png" } as const;

describe("what a tool answers", () => {
  const texts: readonly (readonly [string, unknown, string])[] = [
    ["true", true, "true"],
    ["false", false, "false"],
    ["an integer", -12, "-12"],
    ["a large integer", 12345678901234567890n, "12345678901234567890"],
    ["a text", "Hello, «world»!\n", "Hello, «world»!\n"],
    ["an empty text", "", ""],
    ["nothing", undefined, "true"],
    ["null", null, "true"],
    ["a list of anything", [1, "two"], '[1,"two"]'],
    ["an empty list", [], "[]"],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ];
  for (const [what, answer, text] of texts) {
    test(`${what} is a text`, async () => {
      assert.deepEqual(await answered(() => answer), { content: [{ type: "text", text }], isError: false });
    });
  }

  test("an object is its JSON, as text and structured", async () => {
    assert.deepEqual(await answered(async () => ({ degrees: 21.5, type: "text" })), {
      content: [{ type: "text", text: '{"degrees":21.5,"type":"text"}' }],
      structuredContent: { degrees: 21.5, type: "text" },
      isError: false,
    });
  });

  test("an object is written as it was when it was answered", async () => {
    const state = { on: true };
    const result = await runTool(
      tool(() => state),
      {},
      context(),
    );
    state.on = false;
    assert.match(result.text, /"structuredContent":\{"on":true\}/);
  });

  test("content is content, one or many", async () => {
    assert.deepEqual(await answered(() => PICTURE), { content: [PICTURE], isError: false });
    const both = [{ type: "text", text: "here" }, PICTURE, { type: "audio", data: "", mimeType: "audio/wav" }];
    assert.deepEqual(await answered(() => both), { content: both, isError: false });
  });

  test("what only looks like content is an object", async () => {
    const result = (await answered(() => ({ type: "image", url: "x" }))) as Record<string, unknown>;
    assert.deepEqual(result["structuredContent"], { type: "image", url: "x" });
  });
});

describe("what a tool fails with", () => {
  const failures: readonly (readonly [string, () => unknown, string])[] = [
    [
      "an error",
      () => fail(new Error("无法打开串口 /dev/ttyS1: Permission denied")),
      "无法打开串口 /dev/ttyS1: Permission denied",
    ],
    ["an error, later", () => Promise.reject(new RangeError("too far")), "too far"],
    ["a text", () => fail("no paper"), "no paper"],
    ["an error without words", () => fail(new Error("")), "The tool failed without saying why"],
    ["nothing at all", () => Promise.reject(), "The tool failed without saying why"],
    ["an object", () => fail({ stack: "secret" }), "The tool failed without saying why"],
    ["an error that fails itself", () => fail(cursed()), "The tool failed without saying why"],
    // biome-ignore lint/suspicious/noThenProperty: that is the point.
    ["a promise that is none", () => ({ then: () => fail(new Error("no promise")) }), "no promise"],
    ["one of the hub's failures", () => fail(new ZaguanError("CANCELLED")), "Cancelled by the caller"],
    ["a function as an answer", () => () => {}, "The tool ran, but its answer cannot be passed on (function)"],
    ["a symbol as an answer", () => Symbol("x"), "The tool ran, but its answer cannot be passed on (symbol)"],
  ];
  for (const [what, handler, text] of failures) {
    test(`${what} is told in the result, and once more as 'error'`, async () => {
      assert.deepEqual(await answered(handler), { content: [{ type: "text", text }], isError: true, error: text });
    });
  }

  test("an answer that cannot be written says that the tool ran", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const answer of [circle, { deep: 1n }, { toJSON: () => fail(new Error("no")) }, { toJSON: () => undefined }]) {
      const result = (await answered(() => answer)) as { isError: boolean; error: string };
      assert.equal(result.isError, true);
      assert.match(result.error, /^The tool ran, but its answer cannot be passed on \([^\n]+\)$/);
    }
  });

  test("our own words are in the caller's language, and nobody is shown a stack", async () => {
    const result = await runTool(
      tool(() => fail(new Error(""))),
      {},
      context("es"),
    );
    assert.deepEqual((result.value as { error: string }).error, "La herramienta falló sin decir por qué");
    const shown = await runTool(
      tool(() => fail(new Error("why"))),
      {},
      context(),
    );
    assert.doesNotMatch(shown.text, /run\.test|\bat /);
  });
});

describe("what a tool is given", () => {
  const properties = {
    room: { type: "string" },
    level: { type: "integer", minimum: 0, maximum: 9, default: 5 },
    on: { type: "boolean", default: false },
    unit: { type: "string", enum: ["cm", "m"], default: "m" },
  } as const;
  const echo = defineTool({ name: "echo", description: "Says what it got", properties, handler: (args) => args });

  test("is every property, given or its default, and nothing else", async () => {
    assert.deepEqual(await got({ room: "hall" }), { room: "hall", level: 5, on: false, unit: "m" });
    assert.deepEqual(await got({ room: "", level: 0, on: true, unit: "cm", colour: "red" }), {
      room: "",
      level: 0,
      on: true,
      unit: "cm",
    });
    assert.deepEqual(await got(JSON.parse('{"room":"a","__proto__":{"level":1}}')), {
      room: "a",
      level: 5,
      on: false,
      unit: "m",
    });
  });

  test("is checked, and what does not fit never reaches it", async () => {
    const refusals: readonly (readonly [unknown, RegExp])[] = [
      [{}, /missing required parameter 'room'/],
      [undefined, /missing required parameter 'room'/],
      [[], /parameter 'arguments' must be object/],
      [{ room: 7 }, /parameter 'room' must be string/],
      [{ room: null }, /parameter 'room' must be string/],
      [{ room: "a", level: 2.7 }, /parameter 'level' must be integer/],
      [{ room: "a", level: true }, /parameter 'level' must be integer/],
      [{ room: "a", level: -1 }, /parameter 'level' must be at least 0/],
      [{ room: "a", level: 10 }, /parameter 'level' must be at most 9/],
      [{ room: "a", on: "true" }, /parameter 'on' must be boolean/],
      [{ room: "a", unit: "km" }, /parameter 'unit' must be one of: cm, m/],
    ];
    for (const [args, reason] of refusals) {
      await assert.rejects(got(args), (error: ZaguanError) => {
        assert.deepEqual([error.code, error.delivery], ["INVALID_ARGUMENT", "not_sent"]);
        assert.match(String(error.details.params?.["reason"]), reason);
        return true;
      });
    }
  });

  test("has the caller's language, and a signal that the platform takes", async () => {
    let seen: HandlerContext | undefined;
    await runTool(
      tool((_args, given) => {
        seen = given;
        return true;
      }),
      {},
      { language: "fr", signal: new LightAbort() },
    );
    assert.equal(seen?.language, "fr");
    assert.ok(seen?.signal instanceof AbortSignal);
  });

  async function got(args: unknown): Promise<unknown> {
    return ((await runTool(echo, args, context())).value as { structuredContent: unknown }).structuredContent;
  }
});

describe("a tool that takes its time", () => {
  test("is waited for until the caller's time is over, and hears of that", async () => {
    const stop = new LightAbort();
    let heard: unknown;
    const never = tool((_args, { signal }) => {
      signal.addEventListener("abort", () => {
        heard = signal.reason;
      });
      return new Promise<string>(() => {});
    });
    const outcome = runTool(never, {}, { language: "en", signal: stop });
    const late = new ZaguanError("DEADLINE_EXCEEDED", { params: { source: "own", seconds: 1 } });
    stop.abort(late);
    await assert.rejects(outcome, { code: "DEADLINE_EXCEEDED", delivery: "unknown" });
    assert.equal(heard, late);
  });

  test("and then throws, is not heard any more", async () => {
    const stop = new LightAbort();
    const begun = Promise.withResolvers<void>();
    const outcome = runTool(
      tool(() => begun.promise.then(() => fail(new Error("late")))),
      {},
      { language: "en", signal: stop },
    );
    stop.abort("left");
    await assert.rejects(outcome, { code: "CANCELLED", delivery: "unknown" });
    begun.resolve();
    await begun.promise;
  });

  test("is not begun for one who has left already", async () => {
    let ran = false;
    const stop = new LightAbort();
    stop.abort(new ZaguanError("CANCELLED"));
    const run = tool(() => {
      ran = true;
      return true;
    });
    await assert.rejects(runTool(run, {}, { language: "en", signal: stop }), {
      code: "CANCELLED",
      delivery: "not_sent",
    });
    assert.equal(ran, false);
  });

  test("leaves no listener behind", async () => {
    const listeners = new Set<() => void>();
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: (_type: "abort", listener: () => void) => void listeners.add(listener),
      removeEventListener: (_type: "abort", listener: () => void) => void listeners.delete(listener),
    };
    await runTool(
      tool(() => true),
      {},
      { language: "en", signal },
    );
    await runTool(
      tool(() => fail("x")),
      {},
      { language: "en", signal },
    );
    assert.equal(listeners.size, 0);
  });
});

test("a method finds its own object", async () => {
  const counter = {
    name: "count",
    description: "Counts",
    count: 0,
    properties: { by: integer(), note: string({ default: "" }) },
    handler({ by }: { by: number }) {
      this.count += by;
      return this.count;
    },
  };
  await runTool(counter as AnyUserTool, { by: 2 }, context());
  await runTool(counter as AnyUserTool, { by: 3 }, context());
  assert.equal(counter.count, 5);
});

function tool(handler: (...args: Parameters<Handler>) => unknown): AnyUserTool {
  return defineTool({ name: "a", description: "b", handler: handler as Handler });
}

function context(language: Language = "en"): HandlerContext {
  return { language, signal: new LightAbort() };
}

async function answered(handler: () => unknown): Promise<unknown> {
  return JSON.parse((await runTool(tool(handler), {}, context())).text);
}

function fail(what: unknown): never {
  throw what;
}

function cursed(): Error {
  return Object.defineProperty(new Error("x"), "message", { get: () => fail(new Error("again")) });
}
