/**
 * How many clients want to hear of each resource: a source is told to stop only when nobody is left, since all of them
 * share one connection to it, and is told anew when it was started anew.
 */
export class Subscriptions {
  readonly #counts = new Map<string, Map<string, number>>();

  add(source: string, uri: string): void {
    const counts = this.#counts.get(source) ?? new Map<string, number>();
    this.#counts.set(source, counts.set(uri, (counts.get(uri) ?? 0) + 1));
  }

  /** True if nobody is left. */
  drop(source: string, uri: string): boolean {
    const counts = this.#counts.get(source);
    const left = (counts?.get(uri) ?? 1) - 1;
    if (left > 0) counts?.set(uri, left);
    else counts?.delete(uri);
    if (counts?.size === 0) this.#counts.delete(source);
    return left <= 0;
  }

  of(source: string): readonly string[] {
    return [...(this.#counts.get(source)?.keys() ?? [])];
  }
}
