/** How many sessions or sockets a door may have at once: a limit for all, and a smaller one for each principal (`accountOf`). */

/** What one principal may have of all places; rounded up, so that of very few it may have all. */
const SHARE_OF_ONE = 0.8;

export class Places {
  readonly #most: () => number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(most: () => number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#taken;
  }

  hasRoom(account: string): boolean {
    return this.#taken < this.#most() && this.heldBy(account) < Math.ceil(this.#most() * SHARE_OF_ONE);
  }

  heldBy(account: string): number {
    return this.#held.get(account) ?? 0;
  }

  take(account: string): void {
    this.#taken += 1;
    this.#held.set(account, this.heldBy(account) + 1);
  }

  leave(account: string): void {
    this.#taken -= 1;
    const left = this.heldBy(account) - 1;
    if (left > 0) this.#held.set(account, left);
    else this.#held.delete(account);
  }
}
