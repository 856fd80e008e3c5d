/** What two lists of names differ in. */
export interface Difference {
  readonly count: number;
  readonly added: readonly string[];
  readonly gone: readonly string[];
}

export function differenceOf(before: readonly string[], after: readonly string[]): Difference {
  const [old, now] = [new Set(before), new Set(after)];
  return {
    count: after.length,
    added: after.filter((name) => !old.has(name)),
    gone: before.filter((name) => !now.has(name)),
  };
}
