/**
 * Clients that write to the registry: each creates its own agents, deletes some again, and records the acknowledged writes. No name
 * is used twice, because a write whose answer was lost may still be executed late and must not undo another.
 */
import { RpcOverHttp } from "../rpc-over-http.ts";
import { Random, SEED } from "../seed.ts";
import { ABSENT, WriteLedger } from "../write-ledger.ts";
import { pause } from "./clock.ts";
import { type ClusterWorld, eventually, NODES } from "./world.ts";

const WRITERS = 2;
const PAUSE_MS = 60;
const HERE = "here";

export class Writes {
  readonly ledger = new WriteLedger();
  readonly #client: RpcOverHttp;
  readonly #writers: Promise<void>[];
  #isOver = false;
  /** How many writes were not acknowledged: refused, or with an unknown outcome. */
  failed = 0;

  constructor(url: string) {
    this.#client = new RpcOverHttp(url, 2 * WRITERS);
    this.#writers = Array.from({ length: WRITERS }, (_, index) => this.#write(`w${index}`, new Random(SEED + index)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#writers);
    await this.#client.close();
  }

  /** Fails if an acknowledged write is missing at any node. */
  async check(world: ClusterWorld): Promise<void> {
    const shownAt = async (node: string): Promise<Map<string, string>> => {
      const agents = (await world.client(node).get("/agents")).body as readonly { readonly name: string }[];
      return new Map(agents.map(({ name }) => [name, HERE]));
    };
    const listed = async (): Promise<string[]> =>
      Promise.all(NODES.map(async (node) => [...(await shownAt(node)).keys()].sort().join()));
    await eventually("all nodes show the same agents", async () => new Set(await listed()).size === 1);
    this.ledger.settle(await shownAt(NODES[0]));
  }

  async #write(writer: string, dice: Random): Promise<void> {
    for (let count = 1; !this.#isOver; count++) {
      const name = `${writer}-${count}`;
      const isMade = await this.#tried(name, HERE, () =>
        this.#client.send("POST", "/agents", JSON.stringify({ name, description: "made under faults" })),
      );
      if (isMade && dice.chance(3))
        await this.#tried(name, ABSENT, () => this.#client.send("DELETE", `/agents/${name}`));
      await pause(PAUSE_MS);
    }
  }

  async #tried(name: string, state: string, send: Parameters<WriteLedger["write"]>[2]): Promise<boolean> {
    try {
      await this.ledger.write(name, state, send);
      return true;
    } catch {
      this.failed++;
      return false;
    }
  }
}
