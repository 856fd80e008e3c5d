/**
 * How many clients want to hear of each resource: a server is told to stop only when nobody is left, since all of them
 * share one connection to it.
 */
export class Subscriptions {
  readonly #counts = new Map<string, number>();

  add(source: string, uri: string): void {
    const key = keyOf(source, uri);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** True if that was the last one. */
  drop(source: string, uri: string): boolean {
    const key = keyOf(source, uri);
    const left = (this.#counts.get(key) ?? 1) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
    return left <= 0;
  }
}

function keyOf(source: string, uri: string): string {
  return `${source}\n${uri}`;
}
