/**
 * Which sources there are. A name may be wanted by several origins: the first in the order of `ORIGINS` has it, the others
 * wait and come up when the name is free. What is wanted as it runs already is left alone, with its calls. Changes of one
 * name never overlap, since an old source may take its time to close.
 */
import { isDeepStrictEqual } from "node:util";
import type { Owners } from "../core/shared/owners.ts";

/** In the order in which they have a right to a name: later ones may be anybody's. */
const ORIGINS = ["built-in", "configured", "registered", "api", "device"] as const;
export type Origin = (typeof ORIGINS)[number];

export interface Wanted {
  /** What the source is made of: two that are deeply equal are the same source. */
  readonly entry: unknown;
  /** Brings it under the hub. Absent of what is disabled, which has its name all the same. */
  attach?(): Promise<void>;
  /** True if every node of a cluster may have the source at the same time. */
  readonly isShared?: boolean | undefined;
  /** Attaches the source to the hub while another node holds it: calls are forwarded. */
  attachElsewhere?(): Promise<void>;
}

/** What is under the hub: a source, and whether it runs here. */
interface Present<W extends Wanted> {
  readonly wanted: W;
  readonly isHere: boolean;
}

/** The hub, as far as sources are put into it. */
export interface DirectoryHub {
  /** Runs `attach` in the place of the source of that name, whose order stays. */
  replace(name: string, attach: () => Promise<void>): Promise<void>;
  /**
   * The same where the source itself stays the same, and only another node of the cluster holds it. One that is lost is closed
   * without waiting for what runs there.
   */
  move(name: string, attach: () => Promise<void>, isLost: boolean): Promise<void>;
  /** One that is only away finds the names of its tools again. */
  detach(name: string, why: "removed" | "away"): Promise<void>;
}

export interface Changes {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
}

export interface DirectoryEntry<W extends Wanted> {
  readonly name: string;
  readonly origin: Origin;
  readonly wanted: W;
}

export class SourceDirectory<W extends Wanted = Wanted> {
  readonly #hub: DirectoryHub;
  readonly #owners: Owners;
  readonly #wanted = new Map<Origin, Map<string, W>>(ORIGINS.map((origin) => [origin, new Map()]));
  readonly #attached = new Map<string, Present<W>>();
  /** The last change of each name that is still under way; never rejects. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(hub: DirectoryHub, owners: Owners) {
    this.#hub = hub;
    this.#owners = owners;
    // One that fails is tried again when its owner changes, or what is wanted.
    owners.watch((name, isLost) => this.#settle(name, true, isLost).catch(() => {}));
  }

  /**
   * All that these origins want, in the order in which it is to come up. `prepare` is awaited when it is known who has which
   * name, and before anything is attached or detached.
   */
  async replace(all: ReadonlyMap<Origin, ReadonlyMap<string, W>>, prepare?: () => Promise<void>): Promise<Changes> {
    const changes = [...all].map(([origin, wanted]) => this.#replaced(origin, wanted));
    await prepare?.();
    const [added, removed, changed] = (["added", "removed", "changed"] as const).map((how) =>
      changes.flatMap((one) => one[how]),
    ) as [string[], string[], string[]];
    await Promise.all([...removed, ...changed].map((name) => this.#settle(name)));
    for (const name of added) await this.#settle(name);
    return { added, removed, changed };
  }

  async set(origin: Origin, name: string, wanted: W): Promise<void> {
    this.#of(origin).set(name, wanted);
    await this.#settle(name);
  }

  /** One that is only away may come back. */
  async remove(origin: Origin, name: string, isAway = false): Promise<void> {
    this.#of(origin).delete(name);
    await this.#settle(name, isAway);
  }

  /** Attaches it anew though nothing of it has changed. */
  async renew(name: string): Promise<void> {
    await this.#inTurn(name, async () => {
      const present = this.#due(name);
      if (present && this.#attached.has(name)) await this.#attach(name, present, "replaced");
    });
  }

  /** Who has the name. */
  get(name: string): DirectoryEntry<W> | undefined {
    for (const [origin, all] of this.#wanted) {
      const wanted = all.get(name);
      if (wanted) return { name, origin, wanted };
    }
    return undefined;
  }

  /** What an origin wants under a name, whether it has the name or not. */
  wanted(origin: Origin, name: string): W | undefined {
    return this.#of(origin).get(name);
  }

  /** Those who have their names, whether they are disabled or not; by origin, and in each in its order. */
  list(): DirectoryEntry<W>[] {
    const all = [...this.#wanted].flatMap(([origin, wanted]) => [...wanted.keys()].map((name) => ({ origin, name })));
    return all.flatMap(({ origin, name }) => {
      const entry = this.get(name);
      return entry?.origin === origin ? [entry] : [];
    });
  }

  #replaced(origin: Origin, wanted: ReadonlyMap<string, W>): Changes {
    const before = this.#of(origin);
    this.#wanted.set(origin, new Map(wanted));
    return {
      added: [...wanted.keys()].filter((name) => !before.has(name)),
      removed: [...before.keys()].filter((name) => !wanted.has(name)),
      changed: [...wanted].flatMap(([name, { entry }]) => {
        const old = before.get(name);
        return old && !isDeepStrictEqual(old.entry, entry) ? [name] : [];
      }),
    };
  }

  #of(origin: Origin): Map<string, W> {
    return this.#wanted.get(origin) as Map<string, W>;
  }

  /** Makes the hub have what the name stands for now: while its turn came, it may have been changed once more. */
  async #settle(name: string, isAway = false, isLost = false): Promise<void> {
    await this.#inTurn(name, async () => {
      const before = this.#attached.get(name);
      const due = this.#due(name);
      const isSame = before && due && isDeepStrictEqual(before.wanted.entry, due.wanted.entry);
      if (isSame && before.isHere === due.isHere) return;
      if (due) return this.#attach(name, due, isSame ? "moved" : before && "replaced", isLost);
      this.#attached.delete(name);
      if (before) await this.#hub.detach(name, isAway ? "away" : "removed");
    });
  }

  /** What should be under the hub by that name. */
  #due(name: string): Present<W> | undefined {
    const wanted = this.get(name)?.wanted;
    if (!wanted?.attach) return undefined;
    const isHere = wanted.isShared === true || this.#owners.isOurs(name);
    return isHere || wanted.attachElsewhere ? { wanted, isHere } : undefined;
  }

  async #attach(name: string, present: Present<W>, how?: "moved" | "replaced", isLost = false): Promise<void> {
    const { wanted, isHere } = present;
    const attach = async (): Promise<void> => (isHere ? wanted.attach?.() : wanted.attachElsewhere?.());
    this.#attached.set(name, present);
    try {
      if (how === "moved") await this.#hub.move(name, attach, isLost);
      else await (how === "replaced" ? this.#hub.replace(name, attach) : attach());
    } catch (cause) {
      this.#attached.delete(name);
      throw cause;
    }
  }

  async #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => {});
    this.#turns.set(name, settled);
    await turn.finally(() => this.#turns.get(name) === settled && this.#turns.delete(name));
  }
}
