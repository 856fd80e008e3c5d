/** Whether all items of an array differ, in the sense of JSON: the order of an object's members does not count. */

/** Writing a value down takes longer than looking at it. */
const STEPS_PER_VALUE = 4;

/** `spend` is told what it costs, and may throw. */
export function areDistinct(items: readonly unknown[], spend: (steps: number) => void): boolean {
  const seen = new Set<unknown>();
  for (const item of items) seen.add(keyOf(item, spend));
  return seen.size === items.length;
}

/** Equal for equal values only: texts begin with a quote, lists and objects with a bracket, the rest stands as is. */
function keyOf(value: unknown, spend: (steps: number) => void): unknown {
  spend(STEPS_PER_VALUE);
  if (typeof value === "string") return `"${value}`;
  if (typeof value !== "object" || value === null) return value;
  return textOf(value, spend);
}

function textOf(value: unknown, spend: (steps: number) => void): string {
  spend(STEPS_PER_VALUE);
  if (typeof value === "string") spend(value.length >> 4);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, spend)).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${textOf(name, spend)}:${textOf(member, spend)}`).join()}}`;
}
