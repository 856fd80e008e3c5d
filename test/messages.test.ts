/** The message catalogue as a whole: complete in four languages, the same placeholders in each, a text for each error. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ERRORS } from "../src/errors.ts";
import { LANGUAGES, type MessageKey, type MessageRow, say } from "../src/messages/catalogue.ts";
import { CONSOLE_MESSAGES } from "../src/messages/console/index.ts";
import { ERROR_MESSAGES } from "../src/messages/errors.ts";

/** Texts that leave a placeholder out because a seed's wording stands there to the letter. */
const TO_THE_LETTER = ["line.internal in es"];

const AREAS = await readAreas();
const ROWS = [...AREAS.values()].flatMap((area) => Object.entries(area));

describe("the message catalogue", () => {
  test("has several areas", () => assert.ok(AREAS.size >= 3, [...AREAS.keys()].join(" ")));

  test("uses no key twice, since one area would hide the other's text", () => {
    const keys = ROWS.map(([key]) => key);
    assert.deepEqual(
      keys.filter((key, index) => keys.indexOf(key) !== index),
      [],
    );
  });

  for (const [area, rows] of AREAS) {
    test(`${area} is complete and agrees in all languages`, () => {
      assert.deepEqual(
        Object.entries(rows).flatMap(([key, row]) => faultsOf(key, row)),
        [],
      );
    });
  }

  test("finds the texts of every area", () => {
    for (const [key, row] of ROWS) assert.equal(say("fr", key as MessageKey), row.fr, key);
  });
});

describe("the texts of the console's page", () => {
  const code = globSync(fileURLToPath(new URL("../src/console/**/*.ts", import.meta.url)))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

  test("are complete and agree in all languages", () => {
    assert.deepEqual(
      Object.entries<MessageRow>(CONSOLE_MESSAGES).flatMap(([key, row]) => faultsOf(key, row)),
      [],
    );
  });

  test("are all said somewhere", () => {
    assert.deepEqual(
      Object.keys(CONSOLE_MESSAGES).filter((key) => !isSaid(key, code)),
      [],
    );
  });

  test("are each in one page's table", async () => {
    const tables = await readAreas("console");
    const keys = [...tables.values()].flatMap((table) => Object.keys(table));
    // The whole is one of the tables.
    assert.equal(keys.length, 2 * Object.keys(CONSOLE_MESSAGES).length);
  });
});

describe("errors and their texts", () => {
  test("every error has a text, and every error text an error", () => {
    const keys = Object.keys(ERROR_MESSAGES).filter((key) => key.startsWith("error."));
    assert.deepEqual(
      keys.sort(),
      Object.keys(ERRORS)
        .map((code) => `error.${code}`)
        .sort(),
    );
  });
});

describe("the check itself", () => {
  const row: MessageRow = { en: "{a} of {b}", es: "{a} de {b}", fr: "{a} sur {b}", zh: "{b} 中的 {a}" };

  test("is content with placeholders in another order", () => assert.deepEqual(faultsOf("k", row), []));
  test("sees a renamed placeholder", () =>
    assert.match(faultsOf("k", { ...row, fr: "{a} sur {c}" }).join(), /k in fr/));
  test("sees a lost placeholder", () => assert.match(faultsOf("k", { ...row, zh: "{a}" }).join(), /k in zh/));
  test("sees a lost language", () => assert.match(faultsOf("k", { ...row, es: "" }).join(), /k has no es/));
});

/** Every table that a file of src/messages exports, by the name of its export. */
async function readAreas(below = ""): Promise<Map<string, Readonly<Record<string, MessageRow>>>> {
  const folder = fileURLToPath(new URL(`../src/messages/${below}`, import.meta.url));
  const areas = new Map<string, Readonly<Record<string, MessageRow>>>();
  for (const file of globSync(`${folder}/*.ts`, { exclude: (name) => String(name).endsWith(".test.ts") })) {
    const exports = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exports)) {
      if (name.endsWith("_MESSAGES")) areas.set(name, value as Readonly<Record<string, MessageRow>>);
    }
  }
  return areas;
}

/** Whether the page says it: by its name, or by the beginning of its name and something that is put behind. */
function isSaid(key: string, code: string): boolean {
  if (code.includes(`"${key}"`) || code.includes(`\`${key}\``)) return true;
  return [...code.matchAll(/`([a-z][\w.]*\.)\$\{/g)].some(([, beginning = "."]) => key.startsWith(beginning));
}

function faultsOf(key: string, row: MessageRow): string[] {
  const expected = placeholders(row.en);
  return LANGUAGES.flatMap((language) => {
    if (!row[language]?.trim()) return [`${key} has no ${language}`];
    const found = placeholders(row[language]);
    if ((found === expected) !== TO_THE_LETTER.includes(`${key} in ${language}`)) return [];
    return [`${key} in ${language} has ${found || "none"}, others ${expected || "none"}`];
  });
}

function placeholders(text: string): string {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([whole]) => whole))].sort().join(" ");
}
