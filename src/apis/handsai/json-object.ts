/** Objects that come as the text of one. */

export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(text);
  return isObject(value) ? value : undefined;
}

/** Undefined where it is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
