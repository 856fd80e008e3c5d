import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { HouseConfig } from "../../config/types.ts";
import { sayEnding } from "../../link/ending.ts";
import type { Language } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { memoryDocuments } from "../../store/memory-documents.ts";
import type { DocumentTable } from "../../store/store.ts";
import type { Connection } from "../source.ts";
import { makeHouseKind } from "./source.ts";

const CONFIG: HouseConfig = {
  lights: ["salon", "cocina"],
  alarmDefault: false,
  presenceDefault: { present: true, knownPeople: ["Carlos"] },
};

describe("the house as a source", () => {
  test("lists its tools, and says them in another language when asked", async () => {
    const kind = makeHouseKind(memoryDocuments());
    const [tool] = await (await open(memoryDocuments())).listTools(new AbortController().signal);
    assert.ok(tool);
    assert.equal(kind.translate?.(tool, "es").description, "Obtiene el estado del detector de presencia");
    const foreign = { name: "elsewhere", inputSchema: {} };
    assert.equal(kind.translate?.(foreign, "es"), foreign);
    assert.deepEqual([kind.kind, kind.concurrency, kind.trusted], ["house", 64, true]);
  });

  test("answers each getter as text and as an object", async () => {
    const house = await open(memoryDocuments());
    const lights = { salon: false, cocina: false };
    const presence = { present: true, known_people: ["Carlos"] };
    const answers = {
      get_presence: presence,
      get_alarm_status: { armed: false },
      list_lights_on: { on: [] },
      get_all_states: { lights, alarm: false, presence },
    };
    for (const [tool, expected] of Object.entries(answers)) {
      assert.deepEqual(
        await call(house, tool, {}),
        { content: [{ type: "text", text: JSON.stringify(expected) }], structuredContent: expected },
        tool,
      );
    }
  });

  test("keeps what was set, for another connection too", async () => {
    const documents = memoryDocuments();
    const [one, other] = [await open(documents), await open(documents)];
    assert.deepEqual(structured(await call(one, "set_light_state", { name: "cocina", on: true })), { ok: true });
    assert.deepEqual(structured(await call(other, "set_alarm_state", { armed: true })), { ok: true });
    for (const house of [one, other, await open(documents)]) {
      assert.deepEqual(structured(await call(house, "list_lights_on", {})), { on: ["cocina"] });
      assert.deepEqual(structured(await call(house, "get_alarm_status", {})), { armed: true });
    }
  });

  test("loses no change when many come at once", async () => {
    const documents = memoryDocuments();
    const lights = Array.from({ length: 50 }, (_, index) => `light-${index}`);
    const house = await open(documents, { ...CONFIG, lights });
    await Promise.all(lights.map((name) => call(house, "set_light_state", { name, on: true })));
    assert.deepEqual(structured(await call(house, "list_lights_on", {})), { on: lights });
  });

  test("says in the caller's language that a light is unknown, and stores nothing", async () => {
    const documents = memoryDocuments();
    const house = await open(documents);
    for (const [language, text] of [
      ["es", "Luz '__proto__' no encontrada"],
      ["en", "Light '__proto__' not found"],
    ] as const) {
      const answer = await call(house, "set_light_state", { name: "__proto__", on: true }, language);
      assert.deepEqual(answer, { content: [{ type: "text", text }], isError: true });
    }
    assert.equal(await documents.get("house", "state"), undefined);
  });

  test("refuses what it cannot do, knowing that nothing was done", async () => {
    const house = await open(memoryDocuments());
    await assert.rejects(call(house, "open_window", {}), {
      code: "UNKNOWN_TOOL",
      details: { params: { tool: "open_window" }, delivery: "not_sent" },
    });
    await assert.rejects(call(house, "set_light_state", { name: "salon", on: "yes" }), {
      code: "INVALID_ARGUMENT",
      delivery: "not_sent",
    });
    await assert.rejects(call(house, "set_light_state", { on: true }), { code: "INVALID_ARGUMENT" });
    await assert.rejects(request(house, "prompts/get", "x", {}, "en"), { code: "UNKNOWN_METHOD" });
  });

  test("turns a failing store into an internal error that keeps its reason inside", async () => {
    const broken = Object.assign(memoryDocuments(), { get: () => Promise.reject(new Error("disk on fire")) });
    await assert.rejects(call(await open(broken), "get_presence", {}), { code: "INTERNAL" });
  });

  test("tells when it is over", async () => {
    const house = await open(memoryDocuments());
    await house.close();
    assert.equal(sayEnding(await house.closed), "closed");
    await assert.rejects(call(house, "get_presence", {}), { code: "SOURCE_UNAVAILABLE", delivery: "not_sent" });
  });
});

function open(documents: DocumentTable, config: HouseConfig = CONFIG): Promise<Connection> {
  const context = {
    name: "house",
    clock: new FakeClock(),
    emit: () => {},
    onToolsChanged: () => {},
    onNotification: () => {},
    onRequest: () => Promise.reject(new Error("not asked")),
    onLog: () => {},
  };
  return makeHouseKind(documents).connect(config, context, new AbortController().signal);
}

function call(house: Connection, name: string, args: object, language: Language = "en"): Promise<unknown> {
  return request(house, "tools/call", name, args, language);
}

async function request(
  house: Connection,
  method: string,
  name: string,
  args: object,
  language: Language,
): Promise<unknown> {
  const { signal } = new AbortController();
  return (await house.request({ method, name, args: Payload.ofValue(args), language, signal })).value;
}

function structured(answer: unknown): unknown {
  return (answer as { structuredContent: unknown }).structuredContent;
}
