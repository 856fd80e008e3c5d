/**
 * Characters that are in a text and cannot be seen in it, in places where a page shows texts of others. The rules are those of
 * `src/protocol/text/hidden.ts`, which gives the reasons; a page can load nothing from outside its folder.
 */

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
  // The flag of a region, such as Scotland's: a black flag with tag characters.
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
function withHidden(text: string, mark: (character: string, at: number) => string): string {
  if (!ANY_HIDDEN.test(text)) return text;
  const pieces = RIGHT_TO_LEFT.test(text) ? PIECES_RIGHT_TO_LEFT : PIECES;
  return text.replace(pieces, (whole: string, hidden: string | undefined, at: number) =>
    hidden === undefined ? whole : mark(hidden, at),
  );
}

/** A character's code point, as in `U+202E`. */
export function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The text with each hidden character written as its number, for places that take no markup. */
export function visible(text: string): string {
  return withHidden(text, (character) => `⟨${codePoint(character)}⟩`);
}

/** What stands between hidden characters, and these, in turn; the first and the last are text. Undefined where none is hidden. */
export function splitAtHidden(text: string): readonly string[] | undefined {
  const pieces: string[] = [];
  let rest = 0;
  withHidden(text, (character, at) => {
    pieces.push(text.slice(rest, at), character);
    rest = at + character.length;
    return character;
  });
  return pieces.length === 0 ? undefined : [...pieces, text.slice(rest)];
}
