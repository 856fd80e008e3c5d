/** What a JSON pointer (RFC 6901) leads to; undefined if to nothing. Only members of its own count. */
export function followPointer(root: unknown, pointer: string): unknown {
  let place = root;
  for (const step of pointer.slice(1).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, name)) return undefined;
    place = (place as Readonly<Record<string, unknown>>)[name];
  }
  return place;
}
