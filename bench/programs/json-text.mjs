/**
 * Finds members in the text of a JSON object without parsing it: over strings it jumps, and it stops at what was asked
 * for. It believes that the text is JSON. The floors and the echo servers stand on it, so that they cost as little as a
 * correct relay can. Plain JavaScript, so that nothing of it has to be stripped at a start that is measured.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Where the value of this member of the object at `from` begins; -1 if it has none. */
export function findMember(text, from, name) {
  let at = skipSpace(text, from + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = endOfString(text, at);
    const isIt = keyEnd - at - 2 === name.length && text.startsWith(name, at + 1);
    at = skipSpace(text, skipSpace(text, keyEnd) + 1);
    if (isIt) return at;
    at = skipSpace(text, endOfValue(text, at));
    if (text.charCodeAt(at) !== COMMA) return -1;
    at = skipSpace(text, at + 1);
  }
  return -1;
}

/** The first character behind the value that begins here. */
export function endOfValue(text, at) {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return endOfString(text, at);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfNest(text, at);
  let end = at;
  while (!isEndOfPlain(text.charCodeAt(end))) end++;
  return end;
}

function endOfNest(text, from) {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
    else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text, from) {
  let end = text.indexOf('"', from + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text, at) {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

function skipSpace(text, from) {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Also at the end of the text, where there is no code: NaN is none of them and must end it as well. */
function isEndOfPlain(code) {
  return !(code > 0x20) || code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY;
}
