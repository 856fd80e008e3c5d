import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AreaView, EntityView } from "../../../doors/live/views.ts";
import { arranged, countOn, isSwitchable, matching, openAtFirst, readingOf, serviceFor, stateOf } from "./entities.ts";

function entity(id: string, state: string, more: Partial<EntityView> = {}): EntityView {
  const [domain = ""] = id.split(".");
  return { id, name: id, domain, state, changedUtc: null, ...more };
}

function area(id: string | null, ...entities: EntityView[]): AreaView {
  return { id, name: id ?? "", entities };
}

describe("an entity", () => {
  test("is switched where it is on or off and has services for it", () => {
    for (const id of ["light.a", "switch.a", "fan.a", "input_boolean.a"]) assert.ok(isSwitchable(entity(id, "on")), id);
    for (const id of ["sensor.a", "binary_sensor.a", "lock.a", "automation.a"]) {
      assert.ok(!isSwitchable(entity(id, "on")), id);
    }
    assert.ok(!isSwitchable(entity("light.a", "unavailable")));
  });

  test("is switched by a service of its own domain", () => {
    const wanted = { domain: "light", service: "turn_on", entity_id: "light.bed.side" };
    assert.deepEqual(serviceFor("light.bed.side", true), wanted);
    assert.deepEqual(serviceFor("light.bed.side", false), { ...wanted, service: "turn_off" });
  });

  const READINGS: readonly (readonly [state: string, unit: string | undefined, reading: object])[] = [
    ["21.5", "°C", { kind: "number", value: 21.5, digits: 1, unit: "°C" }],
    ["-3", undefined, { kind: "number", value: -3, digits: 0, unit: "" }],
    ["0.123456", "kWh", { kind: "number", value: 0.123456, digits: 3, unit: "kWh" }],
    ["12345678901234567890", undefined, { kind: "text", text: "12345678901234567890" }],
    ["1e5", "W", { kind: "text", text: "1e5 W" }],
    ["", undefined, { kind: "text", text: "" }],
    ["sunny", undefined, { kind: "text", text: "sunny" }],
    ["constructor", undefined, { kind: "text", text: "constructor" }],
    ["unavailable", "°C", { kind: "known", state: "unavailable" }],
    ["not_home", undefined, { kind: "known", state: "not_home" }],
    ["2026-03-01T07:30:00+00:00", undefined, { kind: "moment", utc: "2026-03-01T07:30:00+00:00" }],
    ["2026-13-01T07:30:00", undefined, { kind: "text", text: "2026-13-01T07:30:00" }],
  ];
  for (const [state, unit, reading] of READINGS) {
    test(`that says ${JSON.stringify(state)} ${unit ?? ""} is read as what it is`, () => {
      assert.deepEqual(readingOf(entity("sensor.a", state, unit === undefined ? {} : { unit })), reading);
    });
  }
});

describe("an area", () => {
  const ENTITIES = [
    entity("sensor.a", "1"),
    entity("light.b", "on"),
    entity("light.c", "off"),
    entity("switch.d", "on"),
  ];

  test("shows first what can be switched, otherwise in the home's order", () => {
    assert.deepEqual(
      arranged(ENTITIES).map(({ id }) => id),
      ["light.b", "light.c", "switch.d", "sensor.a"],
    );
    assert.equal(countOn([...ENTITIES, entity("binary_sensor.e", "on")]), 2);
  });

  test("is open at first while there is not too much to look at", () => {
    const many = (id: string, count: number): AreaView =>
      area(id, ...Array.from({ length: count }, (_, index) => entity(`sensor.${id}${index}`, "1")));
    assert.deepEqual([...openAtFirst([many("a", 10), many("b", 30), many("c", 1)])], ["a", "b"]);
    assert.deepEqual([...openAtFirst([many("a", 500), many("b", 1)])], ["a"]);
    assert.deepEqual([...openAtFirst([])], []);
  });
});

describe("finding an entity", () => {
  const AREAS = [
    area("Kitchen", entity("light.k1", "on", { name: "Ceiling" }), entity("sensor.k2", "20", { name: "Oven" })),
    area(null, entity("light.hall", "off", { name: "Ceiling" })),
  ];
  const found = (text: string): string[] =>
    matching(AREAS, text).flatMap(({ entities }) => entities.map(({ id }) => id));

  test("goes by its name, its id and its area, by all words", () => {
    assert.deepEqual(found("ceil"), ["light.k1", "light.hall"]);
    assert.deepEqual(found("kitchen CEILING"), ["light.k1"]);
    assert.deepEqual(found("sensor."), ["sensor.k2"]);
    assert.deepEqual(found("garage"), []);
  });

  test("changes nothing while nothing is written", () => assert.equal(matching(AREAS, "  "), AREAS));

  test("knows the state of one by home and id", () => {
    const homes = [{ name: "madrid", state: "ready" as const, areas: AREAS, more: 0 }];
    assert.equal(stateOf(homes, "madrid", "light.hall"), "off");
    assert.equal(stateOf(homes, "playa", "light.hall"), undefined);
    assert.equal(stateOf(homes, "madrid", "light.none"), undefined);
  });
});
