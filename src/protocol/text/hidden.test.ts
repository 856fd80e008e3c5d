import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hiddenIn, visible } from "./hidden.ts";

const tags = (text: string): string =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join("");

const HIDDEN: readonly (readonly [what: string, text: string, shown: string])[] = [
  ["an override of direction", "a\u202Eb", "a⟨U+202E⟩b"],
  ["an isolate", "\u2066a\u2069", "⟨U+2066⟩a⟨U+2069⟩"],
  ["a zero-width space in a name", "delete\u200B", "delete⟨U+200B⟩"],
  ["a joiner between Latin letters", "a\u200Db\u200Cc", "a⟨U+200D⟩b⟨U+200C⟩c"],
  ["tag characters that spell words", `ok${tags("hi")}`, "ok⟨U+E0068⟩⟨U+E0069⟩"],
  [
    "tags after a flag that are no flag",
    `\u{1F3F4}${tags("ignore")}`,
    `\u{1F3F4}${[..."ignore"].map(tagCode).join("")}`,
  ],
  ["a second variation selector", "☺\uFE0F\uFE01", "☺\uFE0F⟨U+FE01⟩"],
  ["variation selectors of the supplement on a letter", "a\u{E0101}", "a⟨U+E0101⟩"],
  ["a soft hyphen", "dele\u00ADte", "dele⟨U+00AD⟩te"],
  ["a byte order mark", "\uFEFFa", "⟨U+FEFF⟩a"],
  ["a Hangul filler", "a\u3164", "a⟨U+3164⟩"],
  ["controls", "a\u0007\u001B[2J\u0000\u0085", "a⟨U+0007⟩⟨U+001B⟩[2J⟨U+0000⟩⟨U+0085⟩"],
  ["line separators", "a\u2028b", "a⟨U+2028⟩b"],
  ["half of a character", "a\uD800", "a⟨U+D800⟩"],
  ["a mark of direction where nothing is written from the right", "a\u200Fb", "a⟨U+200F⟩b"],
  ["many marks of direction", "א\u200F\u200F", "א⟨U+200F⟩⟨U+200F⟩"],
];

function tagCode(letter: string): string {
  return `⟨U+${(0xe0000 + (letter.codePointAt(0) ?? 0)).toString(16).toUpperCase()}⟩`;
}

const ORDINARY = [
  "plain text\twith\r\nlines, NBSP\u00A0and a wide\u3000space",
  "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 👍🏽 1️⃣ ☺️ ☺︎ ⚠️ ©️",
  `🇪🇸 🏴󠁧󠁢󠁥󠁮󠁧󠁿`,
  "שלום\u200F (עברית) مرحبا\u200E!",
  "می\u200Cخواهم क्\u200Dष",
  "葛\u{E0100}城 ≨\uFE00",
  "打开灯 テレビ 조명 Ünïcödé e\u0301",
];

describe("hidden characters", () => {
  for (const [what, text, shown] of HIDDEN) it(`are made visible: ${what}`, () => assert.equal(visible(text), shown));
  for (const text of ORDINARY) it(`are none in ordinary text: ${text}`, () => assert.equal(visible(text), text));

  it("are found wherever they stand in a definition", () => {
    const tool = {
      name: "a\u200B",
      inputSchema: { properties: { "b\u202E": { description: "c", enum: ["d", `e${tags("x")}`] } } },
    };
    assert.deepEqual(hiddenIn(tool).toSorted(), ["U+200B", "U+202E", "U+E0078"]);
    assert.deepEqual(hiddenIn({ name: "ok", list: [1, null, true, "🏳️‍🌈"] }), []);
  });
});
