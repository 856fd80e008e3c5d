/** Punctuation of the texts: no-break spaces in French, full-width marks in Chinese. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Language } from "./catalogue.ts";
import { TRANSLATIONS } from "./translations.ts";

/** A French mark of two parts has U+00A0 before it, and so have the inner sides of « », so that no line begins with one. */
const ORDINARY_SPACE = / [:;?!»]|« /;
const NO_SPACE = /[\p{L}\p{N})}'][;?!]|[\p{L})}']:(?=\s|$)|«(?!\u00a0)|(?<!\u00a0)»/u;
/** Seed 003 writes these marks without a space, and the rows beside it do as it does. */
const AS_SEED_003 = /^(?:home\.|error\.UNKNOWN_TOOL$)/;

/** An ASCII mark beside a Chinese character, and an ellipsis that is not two characters. */
const NARROW = /\p{Script=Han}(?:\.| ?[,;:?!()])|[,;:?!()] ?\p{Script=Han}|\.{2}|(?<!…)…(?!…)|…{3}/u;

/** Rows in which a mark is meant as something to type, or stands behind the program's name. */
const TYPED = ["cli.import.nothing", "cli.option.basic", "cli.add.notUrl", "agents.config.noJson"];

describe("French", () => {
  it("has no ordinary space that could break before a mark", async () => {
    assert.deepEqual(await rowsWith("fr", ORDINARY_SPACE), []);
  });

  it("has a space before these marks", async () => {
    const found = await rowsWith("fr", NO_SPACE);
    assert.deepEqual(
      found.filter((key) => !AS_SEED_003.test(key)),
      [],
    );
  });
});

describe("Chinese", () => {
  it("has full-width marks, but in the words of py-xiaozhi", async () => {
    const { abilities } = TRANSLATIONS.zh;
    const found = await rowsWith("zh", NARROW);
    assert.deepEqual(
      found.filter((key) => !Object.hasOwn(abilities, key)),
      [],
    );
  });
});

/** The keys of the texts that match; what is to be typed and what is filled in do not count. */
async function rowsWith(language: Language, pattern: RegExp): Promise<string[]> {
  const { hub, cli, abilities, details, console } = TRANSLATIONS[language];
  const tables = [hub, cli, abilities, details ?? {}, await console()];
  const rows = tables.flatMap((table) => Object.entries<string>(table));
  assert.ok(rows.length > 1_500);
  return rows.filter(([key, text]) => !TYPED.includes(key) && pattern.test(withoutCode(text))).map(([key]) => key);
}

function withoutCode(text: string): string {
  return text.replace(/`[^`]*`|'(?:Authorization|header|query|cookie|\.)[^']*'|\{[^{}]*\}/g, "x");
}
