import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { friendlyName, LiveStates } from "./live-states.ts";

/** As it comes over the wire: JSON knows no prototypes. */
function wire(text: string): unknown {
  return JSON.parse(text);
}

const LAMP = '"light.salon_lamp":{"s":"off","a":{"friendly_name":"Lampe Salon"},"c":"ctx1","lc":1726928700.5}';

function houseWith(...entities: string[]): LiveStates {
  const states = new LiveStates();
  states.apply(wire(`{"a":{${entities.join(",")}}}`));
  return states;
}

describe("the live states of a house", () => {
  it("begin with all there are, as REST would show them", () => {
    const states = houseWith(
      LAMP,
      '"sun.sun":{"s":"up","a":{},"c":{"id":"x","parent_id":"p","user_id":"u"},"lc":1,"lu":2}',
    );
    assert.equal(states.size, 2);
    assert.deepEqual(states.get("light.salon_lamp"), {
      entity_id: "light.salon_lamp",
      state: "off",
      attributes: { friendly_name: "Lampe Salon" },
      last_changed: "2024-09-21T14:25:00.500Z",
      last_updated: "2024-09-21T14:25:00.500Z",
      context: { id: "ctx1", parent_id: null, user_id: null },
    });
    assert.equal(states.get("sun.sun")?.last_updated, "1970-01-01T00:00:02.000Z");
    assert.deepEqual(states.get("sun.sun")?.context, { id: "x", parent_id: "p", user_id: "u" });
  });

  it("take up what changed, and keep the rest", () => {
    const states = houseWith(LAMP);
    const change = states.apply(
      wire('{"c":{"light.salon_lamp":{"+":{"s":"on","a":{"brightness":180},"c":{"user_id":"u"},"lc":1726928701}}}}'),
    );
    assert.deepEqual(change, { ids: ["light.salon_lamp"], isOfList: false });
    const lamp = states.get("light.salon_lamp");
    assert.equal(lamp?.state, "on");
    assert.deepEqual(lamp?.attributes, { friendly_name: "Lampe Salon", brightness: 180 });
    assert.deepEqual(lamp?.context, { id: "ctx1", parent_id: null, user_id: "u" });
    assert.equal(lamp?.last_changed, "2024-09-21T14:25:01.000Z");
    assert.equal(lamp?.last_updated, "2024-09-21T14:25:01.000Z");
  });

  it("tell an update from a change, and drop attributes that are gone", () => {
    const states = houseWith(LAMP);
    states.apply(wire('{"c":{"light.salon_lamp":{"+":{"lu":1726928702,"c":"ctx2"},"-":{"a":["friendly_name"]}}}}'));
    const lamp = states.get("light.salon_lamp");
    assert.equal(lamp?.last_changed, "2024-09-21T14:25:00.500Z");
    assert.equal(lamp?.last_updated, "2024-09-21T14:25:02.000Z");
    assert.deepEqual(lamp?.attributes, {});
    assert.equal(lamp?.context["id"], "ctx2");
    assert.equal(lamp && friendlyName(lamp), "light.salon_lamp");
  });

  it("say when entities came or went", () => {
    const states = houseWith(LAMP);
    assert.deepEqual(states.apply(wire('{"a":{"a.b":{"s":"1","a":{},"c":"x","lc":1}}}')), {
      ids: ["a.b"],
      isOfList: true,
    });
    assert.deepEqual(states.apply(wire('{"a":{"a.b":{"s":"2","a":{},"c":"x","lc":1}}}')), {
      ids: ["a.b"],
      isOfList: false,
    });
    assert.deepEqual(states.apply(wire('{"r":["a.b","never.was"]}')), { ids: ["a.b"], isOfList: true });
    assert.equal(states.get("a.b"), undefined);
  });

  it("take every name for a name, be it an attribute's or an entity's", () => {
    const states = houseWith('"__proto__":{"s":"here","a":{"__proto__":{"friendly_name":"forged"}},"c":"x","lc":1}');
    assert.equal(states.size, 1);
    const odd = states.get("__proto__");
    assert.equal(odd?.state, "here");
    assert.equal(odd && friendlyName(odd), "__proto__");
    states.apply(wire('{"c":{"__proto__":{"+":{"a":{"__proto__":{"polluted":1},"constructor":"c","toString":"t"}}}}}'));
    const text = JSON.stringify(states.get("__proto__")?.attributes);
    assert.equal(text, '{"__proto__":{"polluted":1},"constructor":"c","toString":"t"}');
    states.apply(wire('{"c":{"__proto__":{"-":{"a":["constructor"]}}}}'));
    assert.equal(JSON.stringify(states.get("__proto__")?.attributes), '{"__proto__":{"polluted":1},"toString":"t"}');
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    states.apply(wire('{"r":["__proto__"]}'));
    assert.equal(states.size, 0);
  });

  it("pass over what is not of their form", () => {
    const states = houseWith(LAMP);
    for (const event of [
      "null",
      "[]",
      '"x"',
      '{"a":[1]}',
      '{"a":{"x.y":null}}',
      '{"c":{"no.such":{"+":{"s":"1"}}}}',
      '{"r":{}}',
    ]) {
      assert.deepEqual(states.apply(wire(event)), { ids: [], isOfList: false }, event);
    }
    states.apply(wire('{"c":{"light.salon_lamp":{"+":{"a":[1],"c":7,"lc":1e300},"-":[2]}}}'));
    assert.deepEqual(states.get("light.salon_lamp")?.attributes, { friendly_name: "Lampe Salon" });
  });
});
