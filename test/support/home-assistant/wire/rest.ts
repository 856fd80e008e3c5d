/** REST: who may ask, what is told of the house and of its states. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Statements } from "./index.ts";

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$/;
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

export const restStatements: Statements = (client) => {
  test("it says that it runs", async () => {
    const { status, json } = await client().rest("GET", "/api/");
    assert.deepEqual([status, json], [200, { message: "API running." }]);
  });

  test("without a good token it answers 401 in plain text, newer ones with where to get one", async () => {
    for (const authorization of ["", "Bearer nonsense", client().home.token]) {
      const { status, type, text, headers } = await client().rest("GET", "/api/states", undefined, authorization);
      assert.deepEqual([status, type, text], [401, "text/plain; charset=utf-8", "401: Unauthorized"]);
      assert.equal(headers.has("www-authenticate"), client().modern);
    }
  });

  test("an unknown path is 404 and a wrong method 405, in plain text and before any token", async () => {
    const unknown = await client().rest("GET", "/api/nope", undefined, "");
    const wrong = await client().rest("POST", "/api/states", {}, "");
    assert.deepEqual([unknown.status, unknown.text], [404, "404: Not Found"]);
    assert.deepEqual([wrong.status, wrong.text], [405, "405: Method Not Allowed"]);
    assert.match(wrong.headers.get("allow") ?? "", /^GET\b/);
  });

  test("JSON is compressed for whoever takes that, a single state never", async () => {
    const codings = ["/api/states", "/api/services", "/api/states/light.salon_lamp"].map(async (path) => {
      return (await client().rest("GET", path)).headers.get("content-encoding");
    });
    assert.deepEqual(await Promise.all(codings), ["deflate", "deflate", null]);
  });

  test("it tells its state and its configuration", async () => {
    const state = (await client().rest("GET", "/api/core/state")).json;
    const config = (await client().rest("GET", "/api/config")).json;
    assert.equal(state.state, "RUNNING");
    assert.equal("recorder_state" in state, client().modern);
    assert.equal(config.version, client().home.version);
    assert.equal(config.time_zone, "Europe/Madrid");
    assert.equal(config.unit_system.temperature, "°C");
    assert.ok(config.components.includes("automation"));
  });

  test("states come as a list, each with its moments and its context", async () => {
    const { json: states } = await client().rest("GET", "/api/states");
    const lamp = states.find((state: { entity_id: string }) => state.entity_id === "light.salon_lamp");
    const reported = client().modern ? ["last_reported"] : [];
    const fields = ["entity_id", "state", "attributes", "last_changed", ...reported, "last_updated", "context"];
    assert.deepEqual(Object.keys(lamp), fields);
    assert.equal(lamp.attributes.friendly_name, "Lampe Salon");
    assert.match(lamp.last_changed, MOMENT);
    assert.match(lamp.last_updated, MOMENT);
    assert.deepEqual(Object.keys(lamp.context), ["id", "parent_id", "user_id"]);
    assert.match(lamp.context.id, ULID);
    assert.deepEqual(await client().state("light.salon_lamp"), lamp);
    assert.deepEqual(await client().state("LIGHT.Salon_Lamp"), lamp);
  });

  test("a state that is not there is 404 in JSON", async () => {
    const { status, json } = await client().rest("GET", "/api/states/light.nope");
    assert.deepEqual([status, json], [404, { message: "Entity not found." }]);
  });

  test("a written state is 201 with its place, then 200; its value becomes text", async () => {
    await client().rest("DELETE", "/api/states/sensor.wire");
    const first = await client().rest("POST", "/api/states/sensor.wire", { state: 20, attributes: { a: 1 } });
    const again = await client().rest("POST", "/api/states/sensor.wire", { state: "21" });
    assert.deepEqual([first.status, first.headers.get("location")], [201, "/api/states/sensor.wire"]);
    assert.deepEqual([first.json.state, first.json.attributes], ["20", { a: 1 }]);
    assert.deepEqual([again.status, again.json.state, again.json.attributes], [200, "21", {}]);
    assert.ok(first.json.context.user_id);
  });

  test("a change of attributes alone leaves last_changed as it was", async () => {
    const first = (await client().rest("POST", "/api/states/sensor.wire", { state: "x", attributes: { a: 1 } })).json;
    const same = (await client().rest("POST", "/api/states/sensor.wire", { state: "x", attributes: { a: 1 } })).json;
    const other = (await client().rest("POST", "/api/states/sensor.wire", { state: "x", attributes: { a: 2 } })).json;
    assert.deepEqual([same.last_updated, same.context], [first.last_updated, first.context]);
    assert.equal(other.last_changed, first.last_changed);
    assert.notEqual(other.last_updated, first.last_updated);
    assert.notEqual(other.context.id, first.context.id);
  });

  test("what cannot be a state is 400 in JSON", async () => {
    const refusals = [
      ["sensor.wire", "{", "Invalid JSON specified."],
      ["sensor.wire", { attributes: {} }, "No state specified."],
      ["wire", { state: "1" }, "Invalid entity ID specified."],
    ] as const;
    for (const [entityId, body, message] of refusals) {
      const { status, json } = await client().rest("POST", `/api/states/${entityId}`, body);
      assert.deepEqual([status, json], [400, { message }]);
    }
  });

  test("a state can be removed once", async () => {
    await client().rest("POST", "/api/states/sensor.wire", { state: "1" });
    const answers = [1, 2].map(() => client().rest("DELETE", "/api/states/sensor.wire"));
    const [removed, absent] = await Promise.all(answers);
    assert.deepEqual([removed?.status, removed?.json], [200, { message: "Entity removed." }]);
    assert.deepEqual([absent?.status, absent?.json], [404, { message: "Entity not found." }]);
  });
};
