import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { FolderUnderTest, moduleOf, until } from "../../../test/support/tools-folder.ts";
import type { ZaguanError } from "../../errors.ts";
import { type CancelSignal, LightAbort } from "../../light-abort.ts";
import { sayEnding } from "../../link/ending.ts";
import type { Language } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { defineTool, integer } from "../../user-tools/index.ts";
import { fixedTools, type UserTools } from "../../user-tools/tools.ts";
import type { Connection } from "../source.ts";
import { makeUserToolsKind } from "./source.ts";

const NEVER = new AbortController().signal;
const GREET = defineTool({
  name: "greet",
  description: "Greets",
  descriptions: { es: "Saluda" },
  properties: { times: integer({ min: 1, max: 3, default: 1 }) },
  readOnly: true,
  handler: ({ times }, { language }) => `${language}${"!".repeat(times)}`,
});
const STUCK = defineTool({ name: "stuck", description: "Never ends", handler: () => new Promise<boolean>(() => {}) });

describe("tools of one's own as a source", () => {
  test("are listed, translated where they can be, and trusted", async () => {
    const kind = makeUserToolsKind(fixedTools([GREET, STUCK]));
    const [greet, stuck] = await (await open(fixedTools([GREET, STUCK]))).listTools(NEVER);
    assert.ok(greet && stuck);
    assert.deepEqual(greet, {
      name: "greet",
      description: "Greets",
      inputSchema: {
        type: "object",
        properties: { times: { type: "integer", default: 1, minimum: 1, maximum: 3 } },
        required: [],
      },
      annotations: { readOnlyHint: true },
    });
    assert.deepEqual(kind.translate?.(greet, "es"), { ...greet, description: "Saluda" });
    assert.equal(kind.translate?.(greet, "fr"), greet);
    assert.equal(kind.translate?.(stuck, "es"), stuck);
    assert.deepEqual([kind.kind, kind.concurrency, kind.trusted], ["own", 16, true]);
  });

  test("are called in the caller's language", async () => {
    const own = await open(fixedTools([GREET]));
    assert.deepEqual(await call(own, "greet", { times: 2 }, "zh"), {
      content: [{ type: "text", text: "zh!!" }],
      isError: false,
    });
  });

  test("refuse what they cannot do, knowing that nothing was done", async () => {
    const own = await open(fixedTools([GREET]));
    await assert.rejects(call(own, "part", {}), { code: "UNKNOWN_TOOL", delivery: "not_sent" });
    await assert.rejects(call(own, "greet", { times: 9 }), { code: "INVALID_ARGUMENT", delivery: "not_sent" });
    await assert.rejects(request(own, "prompts/get", "greet", {}), { code: "UNKNOWN_METHOD", delivery: "not_sent" });
    const left = new LightAbort();
    left.abort("gone");
    await assert.rejects(request(own, "tools/call", "greet", {}, left), { code: "CANCELLED", delivery: "not_sent" });
  });

  test("that never end are left when the caller's time is over, and when the source closes", async () => {
    const own = await open(fixedTools([STUCK]));
    const stop = new LightAbort();
    const [one, other] = [request(own, "tools/call", "stuck", {}, stop), call(own, "stuck", {})];
    stop.abort("enough");
    await assert.rejects(one, { code: "CANCELLED", delivery: "unknown" });
    const lost = assert.rejects(other, (error: ZaguanError) => {
      assert.deepEqual(
        [error.code, error.delivery, error.details.params],
        ["OUTCOME_UNKNOWN", "unknown", { source: "mine" }],
      );
      return true;
    });
    await own.close();
    await lost;
    assert.equal(sayEnding(await own.closed), "closed");
    await assert.rejects(call(own, "stuck", {}), { code: "SOURCE_UNAVAILABLE", delivery: "not_sent" });
  });

  test("of a folder are there with the connection, and it tells of every change until it is closed", async () => {
    const folder = new FolderUnderTest();
    try {
      folder.write("a.ts", moduleOf("a", "1"));
      const opening = folder.open();
      let changes = 0;
      const own = await open(folder.tools, () => changes++);
      await opening;
      assert.deepEqual(
        (await own.listTools(NEVER)).map(({ name }) => name),
        ["a"],
      );
      folder.write("b.ts", moduleOf("b", "2"));
      await until(
        () => changes > 0,
        () => folder.names,
      );
      assert.deepEqual(await call(own, "b", {}), { content: [{ type: "text", text: "2" }], isError: false });
      const before = changes;
      await own.close();
      folder.write("c.ts", moduleOf("c", "3"));
      await until(
        () => folder.names.length === 3,
        () => folder.names,
      );
      assert.equal(changes, before);
    } finally {
      folder.remove();
    }
  });
});

function open(tools: UserTools, onToolsChanged: () => void = () => {}): Promise<Connection> {
  const context = {
    name: "mine",
    clock: new FakeClock(),
    emit: () => {},
    onToolsChanged,
    onNotification: () => {},
    onRequest: () => Promise.reject(new Error("not asked")),
    onLog: () => {},
  };
  return makeUserToolsKind(tools).connect(undefined, context, NEVER);
}

function call(own: Connection, name: string, args: object, language: Language = "en"): Promise<unknown> {
  return request(own, "tools/call", name, args, NEVER, language);
}

async function request(
  own: Connection,
  method: string,
  name: string,
  args: object,
  signal: CancelSignal = NEVER,
  language: Language = "en",
): Promise<unknown> {
  return (await own.request({ method, name, args: Payload.ofValue(args), language, signal })).value;
}
