/** Which writes were acknowledged: of each thing, the states in which it may be found after a sudden end. */
import assert from "node:assert/strict";
import type { HttpAnswer } from "./rpc-over-http.ts";

export const ABSENT = "absent";

export class WriteLedger {
  readonly #states = new Map<string, readonly string[]>();
  acknowledged = 0;

  /** As it was last known for certain, or is about to be. */
  stateOf(key: string): string {
    return this.#states.get(key)?.at(-1) ?? ABSENT;
  }

  /** Until it is acknowledged the write may have happened or not; if it never is, that stays so. */
  async write(key: string, state: string, send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    this.#states.set(key, [...(this.#states.get(key) ?? [ABSENT]), state]);
    const answer = await send();
    assert.ok(answer.status >= 200 && answer.status < 300, `${key}: ${answer.status} ${answer.text}`);
    this.#states.set(key, [state]);
    this.acknowledged++;
    return answer;
  }

  /** Everything is in a state in which it may be, and nothing is there that nobody wrote. From now on it is as found. */
  settle(found: ReadonlyMap<string, string>): void {
    const wrong = [...this.#states].flatMap(([key, states]) => {
      const state = found.get(key) ?? ABSENT;
      return states.includes(state) ? [] : [`${key} is ${state}, and not ${states.join(" or ")}`];
    });
    const ghosts = [...found.keys()].filter((key) => !this.#states.has(key));
    assert.deepEqual([...wrong, ...ghosts.map((key) => `${key} was never written`)], []);
    for (const key of this.#states.keys()) this.#states.set(key, [found.get(key) ?? ABSENT]);
  }
}
