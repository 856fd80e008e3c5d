/**
 * Takes out of JSON what editors let people write beside it: comments and trailing commas. Both become spaces, so that
 * every other character keeps its place and an error's line and column are those of the file.
 */

const STRING_OR_COMMENT = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const STRING_OR_TRAILING_COMMA = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|,(?=\s*[}\]])/g;

/** JSON with comments and trailing commas, made plain. */
export function stripJsonc(text: string): string {
  return blank(blankComments(text), STRING_OR_TRAILING_COMMA);
}

export function blankComments(text: string): string {
  return blank(text, STRING_OR_COMMENT);
}

function blank(text: string, pattern: RegExp): string {
  return text.replace(pattern, (match) => (match.startsWith('"') ? match : match.replace(/[^\r\n]/g, " ")));
}
