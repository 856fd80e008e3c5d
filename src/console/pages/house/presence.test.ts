import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { figuresIn, namesOf, withMore } from "./presence.ts";

const PLACE = { x: 100, y: 200, width: 300, height: 60 };

describe("people in the plan", () => {
  test("are nobody where the detector sees nobody, whoever is known", () => {
    const empty = { present: false, known_people: ["Ana"] };
    assert.deepEqual(figuresIn(PLACE, empty), []);
    assert.deepEqual(namesOf(empty), []);
  });

  test("are one without a name where only their presence is known", () => {
    assert.deepEqual(figuresIn(PLACE, { present: true, known_people: [] }), [{ x: 250, y: 230, name: "", more: 0 }]);
  });

  test("stand side by side around the middle", () => {
    const figures = figuresIn(PLACE, { present: true, known_people: ["Ana", "Carlos", "Eva"] });
    assert.deepEqual(
      figures.map(({ name }) => name),
      ["Ana", "Carlos", "Eva"],
    );
    assert.equal(figures[1]?.x, 250);
    for (const { x, y } of figures) assert.ok(x > PLACE.x && x < PLACE.x + PLACE.width && y === 230);
  });

  test("are counted where there is no room for all", () => {
    const known_people = Array.from({ length: 50 }, (_, index) => `Person ${index}`);
    const figures = figuresIn(PLACE, { present: true, known_people });
    assert.equal(figures.length, 4);
    assert.deepEqual(
      figures.map(({ more }) => more),
      [0, 0, 0, 46],
    );
    assert.equal(figuresIn({ ...PLACE, width: 10 }, { present: true, known_people })[0]?.more, 49);
  });
});

describe("who came home", () => {
  test("is added to those who are there, once, with commas of any script", () => {
    assert.deepEqual(withMore(["Ana"], " Carlos , Ana,,Eva、王芳，李 "), ["Ana", "Carlos", "Eva", "王芳", "李"]);
    assert.deepEqual(withMore(["Ana"], "  "), ["Ana"]);
  });
});
