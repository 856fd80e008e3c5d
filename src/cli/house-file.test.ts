/** The house's own file, as the original simulator writes it. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { ConfigError } from "../config/config-error.ts";
import { findHouseFile, ORIGINAL_HOUSE, openHouseFile } from "./house-file.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-house-"));
after(() => rmSync(folder, { recursive: true }));

function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe("a house file", () => {
  test("is read as the original wrote it", () => {
    const yaml = "lights: [uno, dos]\nalarm_default: true\npresence_default:\n  present: true\n  known_people: [Ana]\n";
    assert.deepEqual(openHouseFile(written("original.yaml", yaml)), {
      config: {
        lights: ["uno", "dos"],
        alarmDefault: true,
        presenceDefault: { present: true, knownPeople: ["Ana"] },
      },
      created: false,
      unknown: [],
    });
  });

  test("is found unasked only if it describes a house", () => {
    assert.deepEqual(findHouseFile(written("house.yaml", "lights: [uno]\n"))?.lights, ["uno"]);
    for (const other of ["version: 2\njobs: {}\n", "lights: all\n", ": : :", ""]) {
      assert.equal(findHouseFile(written("other.yaml", other)), undefined, other);
    }
    assert.equal(findHouseFile(join(folder, "none.yaml")), undefined);
  });

  test("may be JSON", () => {
    assert.deepEqual(openHouseFile(written("house.json", '{"lights":["a"]}')).config.lights, ["a"]);
  });

  test("may be empty: all defaults count", () => {
    assert.deepEqual(openHouseFile(written("empty.yaml", "")).config, ORIGINAL_HOUSE);
  });

  test("may name lights by number", () => {
    assert.deepEqual(openHouseFile(written("numbers.yaml", "lights: [1, 2]")).config.lights, ["1", "2"]);
  });

  test("tells which of its keys mean nothing", () => {
    assert.deepEqual(openHouseFile(written("more.yaml", "lighst: [a]")).unknown, ["lighst"]);
  });
});

describe("a missing house file", () => {
  for (const name of ["new.yaml", "new.json"]) {
    test(`is made: ${name}`, () => {
      const file = join(folder, name);
      assert.equal(openHouseFile(file).created, true);
      assert.deepEqual(openHouseFile(file), { config: ORIGINAL_HOUSE, created: false, unknown: [] });
      assert.match(readFileSync(file, "utf8"), /dormitorio/);
    });
  }

  test("in a missing folder is one clear line", () => {
    assert.throws(() => openHouseFile(join(folder, "no", "where.yaml")), /where\.yaml: cannot be created: ENOENT/);
  });
});

describe("a broken house file is refused in one line", () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ["unfinished YAML", "lights: [a, b\n", /line \d+, column \d+/],
    ["a list", "- a\n", /expected lights/],
    ["lights that are no list", "lights: salon\n", /lights: expected a list of names/],
    ["a light that is no name", "lights: [[]]\n", /lights: expected a list of names/],
    ["a light twice", "lights: [a, a]\n", /names a light twice/],
    ["an alarm that is a word", "alarm_default: maybe\n", /alarm_default: expected true or false/],
    ["presence that is a word", "presence_default: yes please\n", /presence_default/],
    ["people that are no list", "presence_default: {known_people: Ana}\n", /known_people: expected a list/],
    ["a bomb of aliases", bomb(), /alias/i],
  ];
  for (const [what, text, expected] of cases) {
    test(what, () => {
      const file = written("broken.yaml", text);
      assert.throws(
        () => openHouseFile(file),
        (error) => error instanceof ConfigError && expected.test(error.message) && !error.message.includes("\n"),
      );
    });
  }
});

/** Ten to the tenth names in a few lines. */
function bomb(): string {
  const lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"];
  for (let level = 1; level <= 10; level++) {
    const below = Array(10)
      .fill(`*a${level - 1}`)
      .join(",");
    lines.push(`a${level}: &a${level} [${below}]`);
  }
  return `${lines.join("\n")}\nlights: *a10\n`;
}
