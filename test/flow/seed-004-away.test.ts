/**
 * Seed 004 with a weather service that hangs, hangs up, or is not there: both faces say so in their own form, in their
 * time, and nobody is asked twice who may have done it already. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { until } from "../support/processes.ts";
import {
  assertError,
  assertFailure,
  assertNothingInner,
  assertText,
  type OpenWeather,
  openWeather,
} from "../support/seed-004.ts";
import { WeatherApi, weatherIn } from "../support/weather-api.ts";

const SECRET = "secreto-en-la-consulta";
const KEYED = {
  authenticationType: "API_KEY",
  apiKeyLocation: "QUERY_PARAMETER",
  apiKeyName: "key",
  apiKeyValue: SECRET,
};

let house: OpenWeather;
before(async () => {
  house = await openWeather({ config: { limits: { callSeconds: 5 } } });
  for (const [code, path] of [
    ["cuelga", "/v1/hang.json"],
    ["corta", "/v1/cut.json"],
    ["lenta", "/v1/slow.json"],
    ["clima", "/v1/current.json"],
  ] as const) {
    await house.tools.add(code, path, KEYED);
    await house.tools.add(`${code}-post`, path, { ...KEYED, httpMethod: "POST" });
  }
});
after(() => house?.stop());
beforeEach(() => house.weather.forget());

describe("an upstream that hangs", () => {
  it("is -32002 when the call's time is over, and is left", async () => {
    const { abandoned } = house.weather;
    const answer = await house.tools.call("cuelga", { q: "x" });
    assertError(answer, -32002, "1");
    assert.ok(!answer.text.includes(SECRET));
    assert.ok(house.weather.received.length >= 1);
    await until("the hub has left", () => house.weather.abandoned > abandoned);
  });

  it("is told in errorMessage at the other face", async () => {
    const answer = await house.tools.execute("cuelga", { q: "x" });
    assert.ok(!assertFailure(answer).includes(SECRET));
    assert.ok(answer.body.executionTimeMs >= 1_000, answer.text);
  });

  it("was asked only once if that may have done something", async () => {
    assertError(await house.tools.call("cuelga-post", { q: "x" }), -32002, "1");
    assert.equal(house.weather.received.length, 1);
  });

  it("does not hold up the other tools", async () => {
    const hanging = house.tools.call("cuelga", { q: "x" });
    assert.equal(assertText(await house.tools.call("clima", { q: "Salta" }), "1"), weatherIn("Salta"));
    assertError(await hanging, -32002, "1");
  });
});

describe("an upstream that takes its time", () => {
  it("is waited for", async () => {
    const answer = house.tools.call("lenta", { q: "Jujuy" });
    await until("it was asked", () => house.weather.waiting === 1);
    house.weather.release();
    assert.equal(assertText(await answer, "1"), weatherIn("Jujuy"));
  });
});

describe("an upstream that hangs up", () => {
  it("is asked again where that does no harm, and then is a failure", async () => {
    const { status, body, text } = await house.tools.call("corta", { q: "x" });
    assert.ok(status === 502 || status === 503, text);
    assert.equal(body.error.code, -32004, text);
    const times = house.weather.received.length;
    assert.ok(times >= 2 && times <= 3, String(times));
    assertNothingInner(text);
  });

  it("is asked once where it may have done something, and nobody claims to know", async () => {
    const { status, body, text } = await house.tools.call("corta-post", { q: "x" });
    assert.deepEqual([status, body.error.code, body.error.data.delivery], [502, -32004, "unknown"], text);
    assert.equal(house.weather.received.length, 1);
    assert.ok(!text.includes(SECRET));
  });
});

describe("an upstream that is not there", () => {
  it("is -32004, with what could not be reached and without the key", async () => {
    const gone = await WeatherApi.start();
    const baseUrl = gone.url;
    await gone.close();
    await house.tools.add("ausente", "/v1/current.json", { ...KEYED, baseUrl });
    const answer = await house.tools.call("ausente", { q: "x" });
    assertError(answer, -32004, "1");
    assert.ok(!answer.text.includes(SECRET));
    assert.ok(!assertFailure(await house.tools.execute("ausente", { q: "x" })).includes(SECRET));
  });
});
