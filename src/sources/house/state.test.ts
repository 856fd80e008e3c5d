import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HouseConfig } from "../../config/types.ts";
import {
  clearPresence,
  hasLight,
  initialHouse,
  lightsOn,
  reconcile,
  setAlarm,
  setLight,
  setPresence,
} from "./state.ts";

const CONFIG: HouseConfig = {
  lights: ["salon", "cocina"],
  alarmDefault: true,
  presenceDefault: { present: true, knownPeople: ["Ana"] },
};

/** As a reader of the JSON sees it. */
const seen = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("a house", () => {
  test("begins as configured, with every light off", () => {
    assert.deepEqual(seen(initialHouse(CONFIG)), {
      lights: { salon: false, cocina: false },
      alarm: true,
      presence: { present: true, known_people: ["Ana"] },
    });
  });

  test("changes by making another house", () => {
    const before = initialHouse(CONFIG);
    const after = setAlarm(setLight(before, "cocina", true), false);
    assert.deepEqual(lightsOn(after), ["cocina"]);
    assert.equal(after.alarm, false);
    assert.deepEqual(lightsOn(before), []);
    assert.equal(before.alarm, true);
    assert.deepEqual(lightsOn(setLight(after, "cocina", false)), []);
  });

  test("stays the same when asked for a light it has not", () => {
    const house = initialHouse(CONFIG);
    assert.equal(setLight(house, "sotano", true), house);
    assert.equal(hasLight(house, "sotano"), false);
  });

  test("knows who is there, or that nobody is", () => {
    const busy = setPresence(initialHouse(CONFIG), ["Carlos", "Ana"]);
    assert.deepEqual(busy.presence, { present: true, known_people: ["Carlos", "Ana"] });
    assert.deepEqual(clearPresence(busy).presence, { present: false, known_people: [] });
  });
});

describe("light names", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    test(`${name} is no light unless configured`, () => {
      const house = initialHouse(CONFIG);
      assert.equal(hasLight(house, name), false);
      assert.deepEqual(lightsOn(setLight(house, name, true)), []);
      assert.equal(({} as Record<string, unknown>)["on"], undefined);
    });

    test(`${name} is a light like any other if configured, also after saving`, () => {
      const config = { ...CONFIG, lights: [name] };
      const house = setLight(initialHouse(config), name, true);
      assert.deepEqual(lightsOn(house), [name]);
      assert.deepEqual(lightsOn(reconcile(seen(house), config)), [name]);
      assert.deepEqual(lightsOn(reconcile({ lights: {} }, config)), []);
    });
  }
});

describe("a saved house", () => {
  test("comes back as it was", () => {
    const house = setPresence(setAlarm(setLight(initialHouse(CONFIG), "salon", true), false), ["Carlos"]);
    assert.deepEqual(reconcile(seen(house), CONFIG), house);
  });

  test("loses lights that are no longer configured, and gets new ones, off", () => {
    const house = reconcile({ lights: { salon: true, garage: true } }, { ...CONFIG, lights: ["salon", "bano"] });
    assert.deepEqual(seen(house.lights), { salon: true, bano: false });
  });

  test("takes the default for each part that is broken, and keeps the rest", () => {
    const house = reconcile({ lights: { salon: "yes", cocina: true }, alarm: 1, presence: { present: false } }, CONFIG);
    assert.deepEqual(seen(house), {
      lights: { salon: false, cocina: true },
      alarm: true,
      presence: { present: false, known_people: ["Ana"] },
    });
    assert.deepEqual(reconcile({ presence: { known_people: ["Eva", 7] } }, CONFIG).presence.known_people, ["Ana"]);
  });

  for (const broken of [undefined, null, 7, "house", [], { lights: [true], presence: null }]) {
    test(`that is ${JSON.stringify(broken)} is a new house`, () => {
      assert.deepEqual(reconcile(broken, CONFIG), initialHouse(CONFIG));
    });
  }
});
