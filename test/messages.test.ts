/** The texts as a whole: every language has the rows of English, with the same placeholders, and each error has a text. */
import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ERRORS } from "../src/errors.ts";
import { LANGUAGES, type Language, type MessageKey, say } from "../src/messages/catalogue.ts";
import { CONSOLE_TEXTS } from "../src/messages/en/console.ts";
import { HUB_TEXTS } from "../src/messages/en/hub.ts";
import { TRANSLATIONS } from "../src/messages/translations.ts";

/** Texts that leave a placeholder out because a seed's wording stands there to the letter. */
const TO_THE_LETTER = ["line.internal in es"];

type Row = Readonly<{ en: string; [language: string]: string }>;
type Table = Readonly<Record<string, string>>;

const MESSAGES = fileURLToPath(new URL("../src/messages", import.meta.url));
const TABLES = {} as Record<Language, Map<string, Table>>;
for (const language of LANGUAGES) TABLES[language] = await tablesIn(language);

describe("the languages", () => {
  test("are the folders of src/messages", () => {
    const folders = readdirSync(MESSAGES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(folders.map(({ name }) => name).sort(), [...LANGUAGES].sort());
  });

  for (const [file, english] of TABLES.en) {
    test(`have the rows of en/${file}, in its order and with its placeholders`, () => {
      for (const language of LANGUAGES) {
        assert.deepEqual(Object.keys(TABLES[language].get(file) ?? {}), Object.keys(english), language);
      }
      assert.deepEqual(
        Object.keys(english).flatMap((key) => faultsOf(key, rowOf(file, key))),
        [],
      );
    });
  }

  test("use no key twice, since one file would hide the other's text", () => {
    const keys = [...TABLES.en].flatMap(([file, table]) => (file === "console.ts" ? [] : Object.keys(table)));
    assert.ok(TABLES.en.size === 4 && keys.length > 700, [...TABLES.en.keys()].join(" "));
    assert.deepEqual(
      keys.filter((key, index) => keys.indexOf(key) !== index),
      [],
    );
  });

  test("have the texts of every file", async () => {
    for (const language of LANGUAGES) {
      for (const [file, table] of TABLES[language]) {
        if (file === "console.ts") assert.equal(await TRANSLATIONS[language].console(), table);
        else for (const [key, text] of Object.entries(table)) assert.equal(say(language, key as MessageKey), text, key);
      }
    }
  });
});

describe("the texts of the console's page", () => {
  const code = globSync(fileURLToPath(new URL("../src/console/**/*.ts", import.meta.url)))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

  test("are all said somewhere", () => {
    assert.deepEqual(
      Object.keys(CONSOLE_TEXTS).filter((key) => !isSaid(key, code)),
      [],
    );
  });
});

describe("errors and their texts", () => {
  test("every error has a text, and every error text an error", () => {
    const keys = Object.keys(HUB_TEXTS).filter((key) => key.startsWith("error."));
    assert.deepEqual(
      keys.sort(),
      Object.keys(ERRORS)
        .map((code) => `error.${code}`)
        .sort(),
    );
  });
});

describe("the check itself", () => {
  const row: Row = { en: "{a} of {b}", es: "{a} de {b}", fr: "{a} sur {b}", zh: "{b} 中的 {a}" };

  test("is content with placeholders in another order", () => assert.deepEqual(faultsOf("k", row), []));
  test("sees a renamed placeholder", () =>
    assert.match(faultsOf("k", { ...row, fr: "{a} sur {c}" }).join(), /k in fr/));
  test("sees a lost placeholder", () => assert.match(faultsOf("k", { ...row, zh: "{a}" }).join(), /k in zh/));
  test("sees a lost language", () => assert.match(faultsOf("k", { ...row, es: "" }).join(), /k has no es/));
});

/** Every table of texts in a language's folder, by the name of its file. */
async function tablesIn(language: Language): Promise<Map<string, Table>> {
  const tables = new Map<string, Table>();
  for (const file of globSync("*.ts", { cwd: `${MESSAGES}/${language}` })) {
    const exports = (await import(pathToFileURL(`${MESSAGES}/${language}/${file}`).href)) as Record<string, Table>;
    for (const [name, table] of Object.entries(exports)) if (name.endsWith("_TEXTS")) tables.set(file, table);
  }
  return tables;
}

function rowOf(file: string, key: string): Row {
  return Object.fromEntries(LANGUAGES.map((language) => [language, TABLES[language].get(file)?.[key]])) as Row;
}

/** Whether the page says it: by its name, or by the beginning of its name and something that is put behind. */
function isSaid(key: string, code: string): boolean {
  if (code.includes(`"${key}"`) || code.includes(`\`${key}\``)) return true;
  return [...code.matchAll(/`([a-z][\w.]*\.)\$\{/g)].some(([, beginning = "."]) => key.startsWith(beginning));
}

function faultsOf(key: string, row: Row): string[] {
  const expected = placeholders(row.en);
  return Object.entries(row).flatMap(([language, text]) => {
    if (!text?.trim()) return [`${key} has no ${language}`];
    const found = placeholders(text);
    if ((found === expected) !== TO_THE_LETTER.includes(`${key} in ${language}`)) return [];
    return [`${key} in ${language} has ${found || "none"}, others ${expected || "none"}`];
  });
}

function placeholders(text: string): string {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([whole]) => whole))].sort().join(" ");
}
