/**
 * Seed 004's older face as a test: `POST /api/tools/execute` in the real system's form, so that its clients notice
 * nothing, and the document's mapping from one face to the other. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  assertFailure,
  assertSuccess,
  assertText,
  clima4,
  created,
  type OpenWeather,
  openWeather,
  PRINTED_CALL,
  PRINTED_ERROR,
  PRINTED_TEXT,
} from "../support/seed-004.ts";

const ARGS = PRINTED_CALL.params.arguments;

let house: OpenWeather;
before(async () => {
  house = await openWeather();
  created(await house.tools.post(clima4()));
  await house.tools.add("rota", "/v1/broken.json");
  await house.tools.add("texto", "/v1/text", { parameters: [] });
  await house.tools.add("apagada", "/v1/current.json", { enabled: false });
});
after(() => house?.stop());
beforeEach(() => house.weather.forget());

describe("POST /api/tools/execute", () => {
  it("answers with the five fields, and the result as JSON", async () => {
    assert.deepEqual(assertSuccess(await house.tools.execute("clima4", ARGS)), JSON.parse(PRINTED_TEXT));
    assert.deepEqual(Object.fromEntries(house.weather.last.query), ARGS);
  });

  it("gives a text that is no JSON as a text", async () => {
    assert.equal(assertSuccess(await house.tools.execute("texto", {})), "soleado");
  });

  it("takes a session, null, or none, and keeps it to itself", async () => {
    for (const more of [{ sessionId: "conv_123" }, { sessionId: null }, {}]) {
      const answer = await house.tools.http.post("/api/tools/execute", {
        toolName: "clima4",
        parameters: ARGS,
        ...more,
      });
      assertSuccess(answer);
    }
    const seen = JSON.stringify(house.weather.received.map(({ target, headers, body }) => [target, headers, body]));
    assert.ok(!seen.includes("conv_123"), seen);
  });

  it("takes parameters that are absent or null where none are needed", async () => {
    for (const more of [{}, { parameters: null }]) {
      assert.equal(
        assertSuccess(await house.tools.http.post("/api/tools/execute", { toolName: "texto", ...more })),
        "soleado",
      );
    }
  });

  it("measures how long it took", async () => {
    await house.tools.add("lenta", "/v1/slow.json");
    const began = performance.now();
    const running = house.tools.execute("lenta", { q: "Salta" });
    while (house.weather.waiting === 0 && performance.now() - began < 20_000) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    // So that there is something to measure; nothing hangs on how long it really takes.
    await new Promise((resolve) => setTimeout(resolve, 120));
    house.weather.release();
    const { body } = await running;
    const elapsed = performance.now() - began;
    assert.ok(
      body.executionTimeMs >= 100 && body.executionTimeMs <= elapsed + 1,
      `${body.executionTimeMs} of ${elapsed}`,
    );
  });

  it("gives what the other face gives", async () => {
    const text = assertText(await house.tools.call("clima4", ARGS), "1");
    assert.deepEqual(assertSuccess(await house.tools.execute("clima4", ARGS)), JSON.parse(text));
  });
});

describe("what fails is told in errorMessage", () => {
  it("a missing parameter, and nothing is sent", async () => {
    assert.equal(assertFailure(await house.tools.execute("clima4", { key: "abc123" })), PRINTED_ERROR.message);
    assert.deepEqual(house.weather.received, []);
  });

  it("an unknown tool, in the real system's words", async () => {
    assert.equal(assertFailure(await house.tools.execute("no_such_tool", {})), "Tool not found: no_such_tool");
  });

  it("a tool that is not enabled, in the real system's words, and nothing is sent", async () => {
    const message = assertFailure(await house.tools.execute("apagada", { q: "x" }));
    assert.equal(message, "Tool is disabled or unhealthy: apagada");
    assert.deepEqual(house.weather.received, []);
  });

  it("an upstream 500, with its status", async () => {
    assert.match(assertFailure(await house.tools.execute("rota", { q: "x" })), /500/);
  });
});

describe("what is no request", () => {
  for (const [what, body] of [
    ["broken JSON", '{"toolName":'],
    ["no object", "[]"],
    ["no toolName", '{"parameters":{}}'],
    ["a toolName that is a number", '{"toolName":7,"parameters":{}}'],
    ["parameters that are a list", '{"toolName":"clima4","parameters":["x"]}'],
  ] as const) {
    it(`${what} is refused without a trace, and nothing is sent`, async () => {
      const { status, text, body: told } = await house.tools.http.post("/api/tools/execute", body);
      assert.ok(status === 400 || (status === 200 && told.success === false), `${status} ${text}`);
      assert.doesNotMatch(text, /\\n\s+at |node:internal/);
      assert.deepEqual(house.weather.received, []);
    });
  }

  it("must be said to be JSON, and stay within the limit", async () => {
    const plain = { "content-type": "text/plain" };
    assert.equal((await house.tools.http.post("/api/tools/execute", "{}", plain)).status, 415);
    const large = { toolName: "clima4", parameters: { q: "a".repeat(2_000_000) } };
    assert.equal((await house.tools.http.post("/api/tools/execute", large)).status, 413);
  });
});
