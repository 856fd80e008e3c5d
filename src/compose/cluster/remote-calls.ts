/**
 * Calls and metrics of the other nodes, which send them while somebody watches at this node: what a node publishes, what this
 * node stores of it, and how each watcher reads what is new to it. Watchers with the same rights share one subscription.
 */
import type { Peer } from "../../cluster/peer.ts";
import type { Call } from "../../contract/call.ts";
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import type { RemoteCallWatch } from "../../doors/cluster/cluster-api.ts";
import type { CallBoard } from "../../doors/door.ts";
import { inOrder } from "../../doors/live/found-calls.ts";
import type { CallsChange, Figures } from "../../doors/live/views.ts";
import type { Poller } from "../../nodes/feeds.ts";

/** A subscription to the calls of another node; that node decides which of them the principal may see. */
export interface Topic {
  readonly principal: Pick<Principal, "id" | "kind" | "name" | "admin">;
  /** Metrics count everybody's calls, so that callers with limited access do not get them. */
  readonly withFigures: boolean;
}

/** One message of a node about its calls. */
export interface CallBatch extends CallsChange {
  readonly figures?: Figures | undefined;
}

const MOST_ENDED = 200;
const MOST_RUNNING = 200;
/**
 * The full state is sent with every eighth poll (two seconds) even if nothing is new: metrics change all the time, and messages may
 * be lost.
 */
const POLLS_PER_STATE = 8;
/** How many ended calls are stored for watchers that have not read them yet. */
const MOST_KEPT = 1_000;
/** How long a watcher waits for the first state of all nodes. */
const READY_MS = 1_000;

export function topicOf(principal: Principal): Topic {
  const { id, kind, name, admin } = principal;
  return { principal: { id, kind, name, admin }, withFigures: !isLimited(principal) };
}

/** Principals with the same key share a subscription: all administrators see the same, everybody else only their own calls. */
function keyOf({ principal, withFigures }: Topic): string {
  return principal.admin ? "admin" : `${withFigures ? "figures" : "calls"} ${principal.id}`;
}

/** Reads this node's calls for a subscriber at another node. */
export function callPoller(
  { principal, withFigures }: Topic,
  calls: CallBoard,
  figures: () => Figures,
): Poller<CallBatch> {
  let [polls, position, mark] = [0, 0, ""];
  const poll = (): CallBatch | undefined => {
    const isState = polls++ % POLLS_PER_STATE === 0;
    const { count: inFlight, mark: now } = calls.underWay(principal);
    if (!isState && calls.ended === position && now === mark) return undefined;
    const isFirst = polls === 1;
    const ended = calls.since(position, MOST_ENDED, principal);
    const skipped = principal.admin && !isFirst ? calls.ended - position - ended.length : 0;
    const isNews = ended.length > 0 || now !== mark;
    position = calls.ended;
    mark = now;
    if (!isState && !isNews) return undefined;
    const running = calls.running(principal, MOST_RUNNING);
    return { ended, skipped, running, inFlight, figures: isState && withFigures ? figures() : undefined };
  };
  return { poll, close: () => {} };
}

interface CallsOfNode {
  readonly running: readonly Call[];
  readonly inFlight: number;
  readonly figures: Figures | undefined;
}

/** The calls of other nodes that one group of watchers may see, as received here. */
class RemoteCalls {
  /** Ended calls in the order of arrival, oldest first; at most MOST_KEPT. */
  readonly #ended: Call[] = [];
  /** Boot and id of each call in `#ended`: a state that is sent again may repeat calls. */
  readonly #known = new Set<string>();
  readonly #nodes = new Map<string, CallsOfNode>();
  readonly #others: () => readonly Peer[];
  readonly #ready = Promise.withResolvers<void>();
  /** How many ended calls were received in total, including those that are no longer stored. */
  #rows = 0;
  /** How many ended calls were not received, because their node had more than fit into a message. */
  #skipped = 0;
  /** Grows with every change that watchers should see. */
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
    if (fresh.length + skipped > 0 || fingerprint(running) !== fingerprint(before?.running ?? [])) this.version++;
    this.membersChanged();
  }

  /** Drops the running calls of nodes that are gone. */
  membersChanged(): void {
    const boots = new Set(this.#others().map(({ boot }) => boot));
    for (const boot of this.#nodes.keys()) if (!boots.has(boot) && this.#nodes.delete(boot)) this.version++;
    if ([...boots].every((boot) => this.#nodes.has(boot))) this.#ready.resolve();
  }

  /** The stored calls that were received after the first `rows` ones, newest first. */
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

function fingerprint(rows: readonly Call[]): string {
  return rows.map(({ id, state }) => `${id} ${state}`).join();
}

interface SharedCalls {
  readonly calls: RemoteCalls;
  readonly stop: () => void;
  watchers: number;
}

interface RemoteCallWatchesSetup {
  others(): readonly Peer[];
  /** Subscribes to a topic at all other nodes; the returned function unsubscribes. */
  watch(key: string, topic: Topic, take: (from: Peer, batch: CallBatch) => void): () => void;
  onMembers(listener: () => void): () => void;
}

/** All watchers at this node. */
export class RemoteCallWatches {
  readonly #setup: RemoteCallWatchesSetup;
  readonly #shared = new Map<string, SharedCalls>();

  constructor(setup: RemoteCallWatchesSetup) {
    this.#setup = setup;
    setup.onMembers(() => {
      for (const { calls } of this.#shared.values()) calls.membersChanged();
    });
  }

  open(principal: Principal): RemoteCallWatch {
    const topic = topicOf(principal);
    const key = keyOf(topic);
    const { calls } = this.#join(key, topic);
    let [version, rows, skipped, isOpen] = [0, 0, calls.skipped, true];
    // A principal's rights may change while it watches; then it must not see what this subscription receives.
    const hasSameRights = (): boolean => isOpen && keyOf(topicOf(principal)) === key;
    return {
      ready: () => calls.ready,
      isNew: () => hasSameRights() && calls.version !== version,
      take: (limit) => {
        if (!hasSameRights()) return NOTHING;
        const ended = calls.since(rows).slice(0, limit);
        // At the first read, older calls that do not fit are not counted as skipped: the watcher did not miss them.
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
      figures: () => (hasSameRights() ? calls.figures : []),
      close: () => {
        if (isOpen) this.#leave(key);
        isOpen = false;
      },
    };
  }

  #join(key: string, topic: Topic): SharedCalls {
    const known = this.#shared.get(key);
    if (known) known.watchers++;
    return known ?? this.#begin(key, topic);
  }

  #begin(key: string, topic: Topic): SharedCalls {
    const calls = new RemoteCalls(() => this.#setup.others());
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
