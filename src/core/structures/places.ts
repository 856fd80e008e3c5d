/** How many sessions or sockets a door may have at once: a limit for all, and a smaller one for each principal. */

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

  hasRoom(principalId: string): boolean {
    return this.#taken < this.#most() && this.heldBy(principalId) < Math.ceil(this.#most() * SHARE_OF_ONE);
  }

  heldBy(principalId: string): number {
    return this.#held.get(principalId) ?? 0;
  }

  take(principalId: string): void {
    this.#taken += 1;
    this.#held.set(principalId, this.heldBy(principalId) + 1);
  }

  leave(principalId: string): void {
    this.#taken -= 1;
    const left = this.heldBy(principalId) - 1;
    if (left > 0) this.#held.set(principalId, left);
    else this.#held.delete(principalId);
  }
}
