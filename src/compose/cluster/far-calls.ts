/**
 * Calls and figures of the other nodes, as they are told to this one while somebody here watches: what one node tells of itself,
 * what this one keeps of it, and how each who watches is told what is new. Those who may see the same share what is kept.
 */
import type { Peer } from "../../cluster/peer.ts";
import type { Call } from "../../contract/call.ts";
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import type { FarWatch } from "../../doors/cluster/desk.ts";
import type { CallBoard } from "../../doors/door.ts";
import { inOrder } from "../../doors/live/found-calls.ts";
import type { CallsChange, Figures } from "../../doors/live/views.ts";

/** Who watches, as far as another node has to know: it judges by this what may be seen. */
export interface Topic {
  readonly principal: Pick<Principal, "id" | "kind" | "name" | "admin">;
  /** Figures are of everybody's calls, and not for limited callers. */
  readonly withFigures: boolean;
}

/** What one node tells of itself at a time. */
export interface CallBatch extends CallsChange {
  readonly figures?: Figures | undefined;
}

const MOST_ENDED = 200;
const MOST_RUNNING = 200;
/** Told every two seconds though nothing is new: figures change by themselves, and a message may have been lost. */
const LOOKS_PER_STATE = 8;
/** Rows that ended and that somebody who watches may not have taken yet. */
const MOST_KEPT = 1_000;
const READY_MS = 1_000;

export function topicOf(principal: Principal): Topic {
  const { id, kind, name, admin } = principal;
  return { principal: { id, kind, name, admin }, withFigures: !isLimited(principal) };
}

/** Administrators see the same; all others see their own. */
export function keyOf({ principal, withFigures }: Topic): string {
  return principal.admin ? "admin" : `${withFigures ? "figures" : "calls"} ${principal.id}`;
}

/** Looks at this node for another one: how things stand at first, then what is new. */
export function lookFor({ principal, withFigures }: Topic, calls: CallBoard, figures: () => Figures) {
  let [looks, place, mark] = [0, 0, ""];
  return (): CallBatch | undefined => {
    const isState = looks++ % LOOKS_PER_STATE === 0;
    const { count: inFlight, mark: now } = calls.underWay(principal);
    if (!isState && calls.ended === place && now === mark) return undefined;
    const isFirst = looks === 1;
    const ended = calls.since(place, MOST_ENDED, principal);
    const skipped = principal.admin && !isFirst ? calls.ended - place - ended.length : 0;
    const isNews = ended.length > 0 || now !== mark;
    place = calls.ended;
    mark = now;
    if (!isState && !isNews) return undefined;
    const running = calls.running(principal, MOST_RUNNING);
    return { ended, skipped, running, inFlight, figures: isState && withFigures ? figures() : undefined };
  };
}

interface OfNode {
  readonly running: readonly Call[];
  readonly inFlight: number;
  readonly figures: Figures | undefined;
}

/** What is known here of the calls at other nodes that certain callers may see. */
class FarCalls {
  /** The newest last. */
  readonly #ended: Call[] = [];
  readonly #known = new Set<string>();
  readonly #nodes = new Map<string, OfNode>();
  readonly #others: () => readonly Peer[];
  readonly #ready = Promise.withResolvers<void>();
  /** How many rows have come, those included that are not kept any more. */
  #rows = 0;
  /** How many ended without being told: their node left them out in a flood. */
  #skipped = 0;
  /** Changes with everything that those who watch should hear of. */
  version = 0;

  constructor(others: () => readonly Peer[]) {
    this.#others = others;
    setTimeout(() => this.#ready.resolve(), READY_MS).unref();
    this.membersChanged();
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get rows(): number {
    return this.#rows;
  }

  get skipped(): number {
    return this.#skipped;
  }

  take({ node, boot }: Peer, { ended, skipped, running, inFlight, figures }: CallBatch): void {
    const before = this.#nodes.get(boot);
    const fresh = ended.filter(({ id }) => !this.#known.has(`${boot} ${id}`)).reverse();
    for (const row of fresh) this.#keep(`${boot} ${row.id}`, { ...row, node });
    this.#skipped += skipped;
    this.#nodes.set(boot, {
      running: running.map((row) => ({ ...row, node })),
      inFlight,
      figures: figures ?? before?.figures,
    });
    if (fresh.length + skipped > 0 || marked(running) !== marked(before?.running ?? [])) this.version++;
    this.membersChanged();
  }

  /** What was under way at a node that is gone is so no more. */
  membersChanged(): void {
    const boots = new Set(this.#others().map(({ boot }) => boot));
    for (const boot of this.#nodes.keys()) if (!boots.has(boot) && this.#nodes.delete(boot)) this.version++;
    if ([...boots].every((boot) => this.#nodes.has(boot))) this.#ready.resolve();
  }

  /** Those that came after the first `rows` ones, the newest first. */
  since(rows: number): readonly Call[] {
    const fresh = this.#rows - rows;
    return fresh > 0 ? inOrder(this.#ended.slice(-fresh)) : [];
  }

  get running(): readonly Call[] {
    return inOrder([...this.#nodes.values()].flatMap(({ running }) => running)).slice(0, MOST_RUNNING);
  }

  get inFlight(): number {
    return [...this.#nodes.values()].reduce((sum, node) => sum + node.inFlight, 0);
  }

  get figures(): readonly Figures[] {
    return [...this.#nodes.values()].flatMap(({ figures }) => figures ?? []);
  }

  #keep(key: string, row: Call): void {
    this.#ended.push(row);
    this.#known.add(key);
    this.#rows++;
    if (this.#ended.length <= MOST_KEPT) return;
    this.#ended.shift();
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      break;
    }
  }
}

function marked(rows: readonly Call[]): string {
  return rows.map(({ id, state }) => `${id} ${state}`).join();
}

interface Shared {
  readonly calls: FarCalls;
  readonly stop: () => void;
  watchers: number;
}

interface FarWatchesSetup {
  others(): readonly Peer[];
  /** Has the other nodes tell of this, until the returned function is called. */
  watch(key: string, topic: Topic, take: (from: Peer, batch: CallBatch) => void): () => void;
  onMembers(listener: () => void): () => void;
}

/** All who watch at this node. */
export class FarWatches {
  readonly #setup: FarWatchesSetup;
  readonly #shared = new Map<string, Shared>();

  constructor(setup: FarWatchesSetup) {
    this.#setup = setup;
    setup.onMembers(() => {
      for (const { calls } of this.#shared.values()) calls.membersChanged();
    });
  }

  open(principal: Principal): FarWatch {
    const topic = topicOf(principal);
    const key = keyOf(topic);
    const { calls } = this.#join(key, topic);
    let [version, rows, skipped, isOpen] = [0, 0, calls.skipped, true];
    // Its rights may end while it watches; what others may see is not for it then.
    const isStill = (): boolean => isOpen && keyOf(topicOf(principal)) === key;
    return {
      ready: () => calls.ready,
      isNew: () => isStill() && calls.version !== version,
      take: (limit) => {
        if (!isStill()) return NOTHING;
        const ended = calls.since(rows).slice(0, limit);
        // At first there are rows that have been over for long, and nobody misses them.
        const left = rows === 0 ? 0 : calls.rows - rows - ended.length;
        const change = {
          ended,
          skipped: left + calls.skipped - skipped,
          running: calls.running,
          inFlight: calls.inFlight,
        };
        [version, rows, skipped] = [calls.version, calls.rows, calls.skipped];
        return change;
      },
      figures: () => (isStill() ? calls.figures : []),
      close: () => {
        if (isOpen) this.#leave(key);
        isOpen = false;
      },
    };
  }

  #join(key: string, topic: Topic): Shared {
    const known = this.#shared.get(key);
    if (known) known.watchers++;
    return known ?? this.#begin(key, topic);
  }

  #begin(key: string, topic: Topic): Shared {
    const calls = new FarCalls(() => this.#setup.others());
    const stop = this.#setup.watch(key, topic, (from, batch) => calls.take(from, batch));
    const shared = { calls, stop, watchers: 1 };
    this.#shared.set(key, shared);
    return shared;
  }

  #leave(key: string): void {
    const shared = this.#shared.get(key);
    if (!shared || --shared.watchers > 0) return;
    this.#shared.delete(key);
    shared.stop();
  }
}

const NOTHING: CallsChange = { ended: [], skipped: 0, running: [], inFlight: 0 };
