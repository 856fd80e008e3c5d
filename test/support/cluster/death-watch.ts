/** Polls every node for its list of live nodes, so that a test knows when each node has noticed that another one is dead. */
import { pause, sharedNow } from "./clock.ts";
import { type ClusterWorld, NODES } from "./world.ts";

interface Death {
  /** The node that noticed the death. */
  readonly knownTo: string;
  readonly node: string;
  /** When it was first seen; the death was noticed at this time or shortly before. */
  readonly at: number;
}

const POLL_MS = 40;
const ANSWER_TIMEOUT_MS = 1_000;

export class DeathWatch {
  readonly #deaths: Death[] = [];
  readonly #watching: Promise<void>[];
  #isOver = false;

  constructor(world: ClusterWorld) {
    this.#watching = NODES.map((name) => this.#watch(world, name));
  }

  /** When node `knownTo` first noticed the death of `node` after `since`. */
  knownAt(knownTo: string, node: string, since: number): number | undefined {
    return this.#deaths.find((death) => death.knownTo === knownTo && death.node === node && death.at >= since)?.at;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#watching);
  }

  async #watch(world: ClusterWorld, name: string): Promise<void> {
    let before: readonly string[] = [];
    while (!this.#isOver) {
      const asked = await Promise.race([world.view(name).catch(() => undefined), pause(ANSWER_TIMEOUT_MS)]);
      const alive = asked?.nodes ?? [];
      for (const node of before)
        if (asked && !alive.includes(node)) this.#deaths.push({ knownTo: name, node, at: sharedNow() });
      // Without an answer the last known list stays.
      if (asked) before = alive;
      await pause(POLL_MS);
    }
  }
}
