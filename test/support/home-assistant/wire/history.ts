/** History: over REST one list per entity, over the socket an object with short names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Told, until, type WireClient } from "./client.ts";
import type { Statements } from "./index.ts";

const SALON = "input_boolean.salon";

/** Turns it off, on, off, and says when that began. */
async function turnOver(client: WireClient): Promise<string> {
  await client.call("input_boolean", "turn_off", { entity_id: SALON });
  const { last_updated: since } = (await client.call("input_boolean", "turn_on", { entity_id: SALON }))[0];
  await client.call("input_boolean", "turn_off", { entity_id: SALON });
  return since;
}

async function told(client: WireClient, since: string, query: string, rows: number): Promise<Told[]> {
  const path = `/api/history/period/${encodeURIComponent(since)}?filter_entity_id=${SALON}${query}`;
  return until("it is written down", async () => {
    const [list] = (await client.rest("GET", path)).json;
    return list?.length >= rows ? list : undefined;
  });
}

export const historyStatements: Statements = (client) => {
  test("a period begins with the state at its start, dated to that", async () => {
    const since = await turnOver(client());
    const rows = await told(client(), since, "", 2);
    assert.deepEqual(
      rows.map((row) => row.state),
      ["off", "off"],
    );
    assert.equal(rows[0].last_changed, since);
    assert.equal(rows[0].entity_id, SALON);
    assert.deepEqual(rows[0].attributes, { friendly_name: "Salon" });
    const later = await told(client(), since, "&skip_initial_state", 1);
    assert.deepEqual(
      later.map((row) => row.state),
      ["off"],
    );
  });

  test("in the minimal form only the first one is whole", async () => {
    const since = await turnOver(client());
    const early = new Date(Date.parse(since) - 1).toISOString();
    const rows = await told(client(), early, "&minimal_response", 2);
    assert.equal(rows[0].entity_id, SALON);
    assert.ok(rows.length >= 2);
    for (const row of rows.slice(1)) assert.deepEqual(Object.keys(row), ["state", "last_changed"]);
  });

  test("without attributes they are empty; without a day given it is the last one", async () => {
    await turnOver(client());
    const query = `/api/history/period?filter_entity_id=${SALON},light.salon_lamp,light.nope&no_attributes`;
    const lists = await until("both are written down", async () => {
      const { json } = await client().rest("GET", query);
      return json.length === 2 ? json : undefined;
    });
    assert.deepEqual(
      lists.map((list: Told) => list[0].entity_id),
      [SALON, "light.salon_lamp"],
    );
    assert.deepEqual(lists[0][0].attributes, {});
  });

  test("what is missing or no moment is 400 in JSON; a plus sign in a query is a space", async () => {
    const refusals = [
      ["", "filter_entity_id is missing"],
      ["/yesterday", "Invalid datetime"],
      ["?filter_entity_id=x", "Invalid filter_entity_id"],
      [`?filter_entity_id=${SALON}&end_time=2030-01-01T00:00:00+00:00`, "Invalid end_time"],
    ] as const;
    for (const [path, message] of refusals) {
      const { status, json } = await client().rest("GET", `/api/history/period${path}`);
      assert.deepEqual([status, json], [400, { message }]);
    }
    assert.deepEqual((await client().rest("GET", `/api/history/period/2099-01-01?filter_entity_id=${SALON}`)).json, []);
    assert.deepEqual((await client().rest("GET", "/api/history/period?filter_entity_id=light.nope")).json, []);
  });

  test("the socket tells the same in short", async () => {
    const since = await turnOver(client());
    const rows = await told(client(), since, "", 2);
    const socket = await client().login();
    const question = { type: "history/history_during_period", start_time: since, entity_ids: [SALON] };
    const whole = await socket.result(question);
    const moment = Math.round(Date.parse(since));
    assert.deepEqual(Object.keys(whole), [SALON]);
    assert.deepEqual(
      whole[SALON].map((row: Told) => row.s),
      rows.map((row) => row.state),
    );
    assert.deepEqual(whole[SALON][0].a, { friendly_name: "Salon" });
    assert.equal(Math.floor(whole[SALON][0].lu * 1000), moment);
    const minimal = await socket.result({ ...question, minimal_response: true, no_attributes: true });
    assert.deepEqual(Object.keys(minimal[SALON][0]), ["s", "lu"]);
    assert.deepEqual(await socket.result({ ...question, entity_ids: ["light.nope"] }), {});
  });

  test("the socket refuses in its own way", async () => {
    const socket = await client().login();
    const question = { type: "history/history_during_period", entity_ids: [SALON] };
    const bad = await socket.failure({ ...question, start_time: "x" });
    assert.deepEqual(bad, { code: "invalid_start_time", message: "Invalid start_time" });
    const missing = await socket.failure(question);
    const message = "required key not provided @ data['start_time']. Got None";
    assert.deepEqual(missing, { code: "invalid_format", message });
  });
};
