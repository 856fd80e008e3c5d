/**
 * Characters that are in a text and cannot be seen in it: controls, marks of direction, zero-width and tag characters.
 * A person who reads a tool's definition must see what a model reads. Ordinary use is not meant: emoji of several characters,
 * variation selectors, joiners inside scripts that need them, marks of direction beside right-to-left letters.
 * `src/console/kit/hidden.ts` has the same rules for the page; its test holds both together.
 */

/** So many different ones are told of one definition. */
const MOST_TOLD = 20;

const CONTROLS = "\\u0000-\\u0008\\v\\f\\u000E-\\u001F\\u007F-\\u009F";
/** Unicode's Default_Ignorable_Code_Point (the tags of U+E0000 are among them), separators, fillers, half characters. */
const HIDDEN = `[${CONTROLS}\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Zl}\\p{Zp}\\u2800\\uFFF9-\\uFFFB\\p{Cs}]`;
/** Scripts in which U+200C and U+200D choose between forms of letters. */
const JOINED = ["Arab", "Syrc", "Mong", "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh"]
  .concat(["Khmr", "Mymr", "Tibt"])
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const PICTURE = "\\p{Extended_Pictographic}\\uFE0F?\\p{Emoji_Modifier}?";
const ORDINARY = [
  // A flag of a part of a country.
  "\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{3,6}\\u{E007F}",
  `${PICTURE}(?:\\u200D${PICTURE})+`,
  "[\\p{L}\\p{S}\\p{Emoji}][\\uFE00-\\uFE0F]",
  "\\p{Ideographic}[\\u{E0100}-\\u{E01EF}]",
  `[${JOINED}]\\p{M}*[\\u200C\\u200D](?![\\u200C\\u200D])`,
];

const ANY_HIDDEN = new RegExp(HIDDEN, "u");
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const SINGLE_MARK = "(?<![\\u200E\\u200F\\u061C])[\\u200E\\u200F\\u061C](?![\\u200E\\u200F\\u061C])";
const PIECES = piecesBy(ORDINARY);
const PIECES_RIGHT_TO_LEFT = piecesBy([...ORDINARY, SINGLE_MARK]);

function piecesBy(ordinary: readonly string[]): RegExp {
  return new RegExp(`(?:${ordinary.join("|")})|(${HIDDEN})`, "gu");
}

/** The text with every hidden character as `mark` writes it. */
export function withHidden(text: string, mark: (character: string) => string): string {
  if (!ANY_HIDDEN.test(text)) return text;
  const pieces = RIGHT_TO_LEFT.test(text) ? PIECES_RIGHT_TO_LEFT : PIECES;
  return text.replace(pieces, (whole: string, hidden: string | undefined) =>
    hidden === undefined ? whole : mark(hidden),
  );
}

/** `U+202E` */
function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The text with `⟨U+202E⟩` in the place of every hidden character. */
export function visible(text: string): string {
  return withHidden(text, (character) => `⟨${codePoint(character)}⟩`);
}

/** The first of the hidden characters in any text of a value, names of members included, by code point. */
export function hiddenIn(value: unknown): readonly string[] {
  const found = new Set<string>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") collect(next, found);
    else if (typeof next === "object" && next !== null) for (const pair of Object.entries(next)) open.push(...pair);
  }
  return [...found].slice(0, MOST_TOLD);
}

function collect(text: string, found: Set<string>): void {
  withHidden(text, (character) => {
    found.add(codePoint(character));
    return character;
  });
}
