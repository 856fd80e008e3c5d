/**
 * Calls that wait for their client to come again with what they need, by the state that it was given: the port, and the
 * implementation for one process. A state cannot be guessed, is good once, and only with the proof of who asked what.
 */

export interface SuspendedCalls<C> {
  /** The name of the door that suspended the calls; it is the same at every node. */
  readonly door: string;
  readonly size: number;
  /** How many wait for this account (`accountOf` whoever called). */
  countOf(account: string): number;
  /** Gives the state by which the call is found again. */
  put(call: C, account: string, proof: string): string;
  /** Whether a state was given out by us, at whichever door: all others belong to sources. */
  isOurs(state: string): boolean;
  /** The call goes on; undefined if there is none of this state, or it was given for something else. */
  take(state: string, proof: string): C | undefined;
  /** Nobody came for it. */
  drop(state: string): void;
  /** Those that this process holds. */
  held(): Iterable<C>;
}

interface Entry<C> {
  readonly call: C;
  readonly account: string;
  readonly proof: string;
}

export class LocalSuspendedCalls<C> implements SuspendedCalls<C> {
  readonly #byState = new Map<string, Entry<C>>();
  readonly door: string;
  readonly #token: () => string;
  readonly #prefix: string;

  /**
   * @param token makes another one each time, of 192 random bits in visible characters
   * @param prefix in every state of this hub, so that those of another hub behind us are left to it
   */
  constructor(door: string, token: () => string, prefix: string) {
    this.door = door;
    this.#token = token;
    this.#prefix = prefix;
  }

  get size(): number {
    return this.#byState.size;
  }

  countOf(account: string): number {
    return [...this.#byState.values()].filter((entry) => entry.account === account).length;
  }

  put(call: C, account: string, proof: string): string {
    const state = this.#prefix + this.#token();
    this.#byState.set(state, { call, account, proof });
    return state;
  }

  isOurs(state: string): boolean {
    return state.startsWith(this.#prefix);
  }

  take(state: string, proof: string): C | undefined {
    const entry = this.#byState.get(state);
    if (entry?.proof !== proof) return undefined;
    this.#byState.delete(state);
    return entry.call;
  }

  drop(state: string): void {
    this.#byState.delete(state);
  }

  held(): Iterable<C> {
    return [...this.#byState.values()].map(({ call }) => call);
  }
}
