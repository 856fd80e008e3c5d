import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlacedThing, Thing } from "../../sources/source.ts";
import { entitiesIn, homeView, withEntities } from "./home-view.ts";

const [HALL, KITCHEN] = [place("z1", "Entrée"), place("a9", "Cocina")];

describe("a home as it is shown", () => {
  it("has its areas by name, what has none at the end", () => {
    const things = [placed("light.a"), placed("light.b", HALL), placed("light.c", KITCHEN), placed("light.d", HALL)];
    const { name, state, areas, more } = homeView("madrid", "ready", things);
    assert.deepEqual([name, state, more], ["madrid", "ready", 0]);
    assert.deepEqual(
      areas.map(({ id, name, entities }) => [id, name, entities.map((entity) => entity.id).join()]),
      [
        ["a9", "Cocina", "light.c"],
        ["z1", "Entrée", "light.b,light.d"],
        [null, "", "light.a"],
      ],
    );
  });

  it("has the entities of an area by domain and name, as people count", () => {
    const names = ["Lamp 10", "Lamp 2", "Étagère", "Door"];
    const things = [...names.map((name, n) => placed(`light.${n}`, HALL, name)), placed("cover.z", HALL, "Z")];
    const [area] = homeView("madrid", "ready", things).areas;
    assert.deepEqual(
      area?.entities.map(({ name }) => name),
      ["Z", "Door", "Étagère", "Lamp 2", "Lamp 10"],
    );
  });

  it("keeps two areas of one name apart", () => {
    const twins = [place("one", "Salon"), place("two", "Salon")];
    const things = ["light.a", "light.b", "light.c", "light.d"].map((id, n) => placed(id, twins[n % 2]));
    const { areas } = homeView("madrid", "ready", things);
    assert.deepEqual(
      areas.map(({ id, entities }) => [id, entities.map((entity) => entity.id).join()]),
      [
        ["one", "light.a,light.c"],
        ["two", "light.b,light.d"],
      ],
    );
  });

  it("shows five hundred entities and counts the rest; those with an area come first", () => {
    const numbers = Array.from({ length: 700 }, (_, n) => n);
    const things = numbers.map((n) => placed(`sensor.s${n}`, n >= 690 ? HALL : undefined));
    const home = homeView("madrid", "ready", things);
    assert.deepEqual([entitiesIn(home).length, home.more], [500, 200]);
    assert.deepEqual(
      home.areas.map(({ entities }) => entities.length),
      [10, 490],
    );
  });

  it("has no areas while there is nothing in it", () => {
    assert.deepEqual(homeView("madrid", "broken", []), { name: "madrid", state: "broken", areas: [], more: 0 });
  });

  it("can be brought up to date entity by entity", () => {
    const before = homeView("madrid", "ready", [placed("light.a", HALL), placed("light.b", HALL), placed("light.c")]);
    const now: Thing = { ...placed("light.b").thing, state: "on" };
    const after = withEntities(before, new Map([["light.b", now]]));
    assert.deepEqual(
      entitiesIn(after).map(({ state }) => state),
      ["off", "on", "off"],
    );
    assert.deepEqual(
      entitiesIn(before).map(({ state }) => state),
      ["off", "off", "off"],
    );
  });
});

function place(id: string, name: string) {
  return { id, name };
}

function placed(id: string, at?: PlacedThing["place"], name: string = id): PlacedThing {
  const domain = id.slice(0, id.indexOf("."));
  return { thing: { id, name, domain, state: "off", changedUtc: null }, place: at };
}
