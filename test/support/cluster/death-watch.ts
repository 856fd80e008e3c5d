/** Asks each node many times a second whom it takes for alive, so that a test knows when a death was known to whom. */
import { pause, sharedNow } from "./clock.ts";
import { type ClusterWorld, NODES } from "./world.ts";

interface Death {
  /** The node that took it for dead. */
  readonly knownTo: string;
  readonly node: string;
  /** Not later than this. */
  readonly at: number;
}

const EVERY_MS = 40;
const PATIENCE_MS = 1_000;

export class DeathWatch {
  readonly #deaths: Death[] = [];
  readonly #watching: Promise<void>[];
  #isOver = false;

  constructor(world: ClusterWorld) {
    this.#watching = NODES.map((name) => this.#watch(world, name));
  }

  /** When this node first took that one for dead since then. */
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
      const asked = await Promise.race([world.view(name).catch(() => undefined), pause(PATIENCE_MS)]);
      const alive = asked?.nodes ?? [];
      for (const node of before)
        if (asked && !alive.includes(node)) this.#deaths.push({ knownTo: name, node, at: sharedNow() });
      // A node that does not answer tells nothing.
      if (asked) before = alive;
      await pause(EVERY_MS);
    }
  }
}
