/** Cuts the text of a JSON array into the texts of its elements, every character kept. It proves nothing else. */

/** Undefined if the text is no array or its brackets do not match; each element's own grammar is not looked at. */
export function splitJsonArray(text: string): readonly string[] | undefined {
  const body = text.trim();
  if (!body.startsWith("[") || !body.endsWith("]") || body.length < 2) return undefined;
  const elements: string[] = [];
  let depth = 0;
  let start = 1;
  for (let at = 1; at < body.length - 1; at++) {
    const char = body[at];
    if (char === '"') {
      at = endOfString(body, at);
      if (at >= body.length - 1) return undefined;
    } else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth < 0) return undefined;
    else if (char === "," && depth === 0) {
      elements.push(body.slice(start, at).trim());
      start = at + 1;
    }
  }
  if (depth !== 0) return undefined;
  const last = body.slice(start, -1).trim();
  if (last !== "" || elements.length > 0) elements.push(last);
  return elements.includes("") ? undefined : elements;
}

/** The place of the closing quote, or past the end if there is none. */
function endOfString(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
