/**
 * The whole cluster as this node shows it: asks the other nodes what doors want to know, answers what they ask, and follows
 * what happens there while somebody watches. Who asks goes with the question, so that each node judges what may be seen.
 */
import type { Peer } from "../../cluster/peer.ts";
import type { CallDetail, Figures } from "../../contract/call.ts";
import type { HubNode, Nodes } from "../../contract/node.ts";
import type { Principal } from "../../core/call.ts";
import type { CallPlace, ClusterDesk, FoundCalls, WantedCalls } from "../../doors/cluster/desk.ts";
import type { DoorContext } from "../../doors/door.ts";
import { foundCalls } from "../../doors/live/found-calls.ts";
import { ownFigures, ownInFlight } from "../../doors/live/merged-figures.ts";
import type { HomeView, HouseLive } from "../../doors/live/views.ts";
import { ZaguanError } from "../../errors.ts";
import { Feeds } from "../../nodes/feeds.ts";
import type { NodeOfCluster } from "../../nodes/node-of-cluster.ts";
import { type Answers, Questions } from "../../nodes/questions.ts";
import { type CallBatch, FarWatches, lookFor, type Topic, topicOf } from "./far-calls.ts";
import { AllHomes, type HomesBatch, lookAtHomes } from "./far-homes.ts";

/** What doors show of one hub. */
export type Shown = Pick<DoorContext, "calls" | "status" | "statistics" | "queue" | "report"> & {
  readonly houseLive: HouseLive;
};

/** What each question is asked with, and answered with. */
interface Asked {
  readonly node: [null, HubNode];
  readonly calls: [{ readonly wanted: WantedCalls; readonly by: Principal }, FoundCalls];
  /** Null: none that may be seen. */
  readonly call: [{ readonly id: number; readonly by: Principal }, CallDetail | null];
  readonly cancel: [{ readonly id: number; readonly by: Principal }, "cancelled" | "ended" | null];
  readonly figures: [null, Figures];
  readonly homes: [null, readonly HomeView[]];
  readonly drain: [{ readonly isDraining: boolean }, true];
}

type Name = keyof Asked;
type Answering = { readonly [What in Name]: (given: Asked[What][0]) => Asked[What][1] | Promise<Asked[What][1]> };
type Question = { readonly [What in Name]: { readonly what: What; readonly given: Asked[What][0] } }[Name];

/** Names of sources that are told at a time. */
const MOST_NAMED = 1_000;

export class OneView implements ClusterDesk {
  readonly node: string;
  /** The houses of all nodes. */
  readonly houses: HouseLive;
  readonly #node: NodeOfCluster;
  readonly #shown: Shown;
  readonly #questions: Questions;
  readonly #watches: FarWatches;
  readonly #answering: Answering;

  constructor(node: NodeOfCluster, shown: Shown) {
    this.node = node.self.node;
    this.#node = node;
    this.#shown = shown;
    this.#answering = this.#answers();
    const opened = (name: string) => (take: (from: Peer, news: unknown) => void) => node.channel(name, take);
    this.#questions = new Questions({
      open: opened("questions"),
      answer: (question) => this.#answer(question as Question),
      report: (cause) => void shown.report(cause),
    });
    const feeds = new Feeds<Topic, CallBatch>({
      open: opened("calls"),
      look: (topic) => lookFor(topic, shown.calls, () => this.#liveFigures()),
    });
    const members = { others: () => node.others(), onMembers: (listener: () => void) => node.onMembers(listener) };
    this.#watches = new FarWatches({ ...members, watch: (...watched) => feeds.watch(...watched) });
    const homes = new Feeds<null, HomesBatch>({ open: opened("houses"), look: () => lookAtHomes(shown.houseLive) });
    this.houses = new AllHomes({
      ...members,
      own: shown.houseLive,
      isOurs: (name) => node.held.isOurs(name),
      ask: () => this.#farHomes(),
      watch: (take) => homes.watch("homes", null, take),
    });
  }

  view(): ReturnType<ClusterDesk["view"]> {
    return this.#node.view();
  }

  async nodes(): Promise<Nodes> {
    const { answers, missing } = await this.#askAll("node", null);
    const nodes = [this.#row(), ...answers.map(({ answer }) => answer)].sort(byName);
    const unheld = this.view().sources.filter(({ node }) => node === null);
    return { node: this.node, nodes, missing, unheld: unheld.slice(0, MOST_NAMED).map(({ name }) => this.#held(name)) };
  }

  async drain(node: string, isDraining: boolean): Promise<boolean> {
    const isDone = await this.#of(node, "drain", { isDraining });
    return isDone ?? false;
  }

  async calls(wanted: WantedCalls, principal: Principal): ReturnType<ClusterDesk["calls"]> {
    const { answers, missing } = await this.#askAll("calls", { wanted, by: topicOf(principal).principal });
    const rows = answers.flatMap(({ node, answer }) => answer.rows.map((row) => ({ ...row, node })));
    return { rows, total: answers.reduce((sum, { answer }) => sum + answer.total, 0), missing };
  }

  async call({ node, id }: CallPlace, principal: Principal): Promise<CallDetail | undefined> {
    const found = await this.#of(node, "call", { id, by: topicOf(principal).principal });
    return found ? { ...found, node } : undefined;
  }

  async cancel({ node, id }: CallPlace, principal: Principal): Promise<"cancelled" | "ended" | undefined> {
    return (await this.#of(node, "cancel", { id, by: topicOf(principal).principal })) ?? undefined;
  }

  async figures(): ReturnType<ClusterDesk["figures"]> {
    const { answers, missing } = await this.#askAll("figures", null);
    return { figures: answers.map(({ node, answer }) => ({ ...answer, node })), missing };
  }

  watch(principal: Principal): ReturnType<ClusterDesk["watch"]> {
    return this.#watches.open(principal);
  }

  /** What this node answers, to others and to itself. */
  #answers(): Answering {
    const { calls } = this.#shown;
    return {
      node: () => this.#row(),
      calls: ({ wanted, by }) => foundCalls(calls, wanted, by),
      call: ({ id, by }) => calls.find(id, by) ?? null,
      cancel: ({ id, by }) => calls.cancel(id, by) ?? null,
      figures: () => ownFigures({ ...this.#shown, cluster: this }),
      homes: () => this.#shown.houseLive.homes(),
      drain: ({ isDraining }) => {
        this.#node.drain(isDraining);
        return true;
      },
    };
  }

  /** A question of a newer node that this one does not know is not answered. */
  #answer({ what, given }: Question): unknown {
    if (!Object.hasOwn(this.#answering, what)) throw new TypeError(`there is no question "${what}"`);
    return (this.#answering[what] as (given: unknown) => unknown)(given);
  }

  #askAll<What extends Name>(what: What, given: Asked[What][0]): Promise<Answers<Asked[What][1]>> {
    return this.#questions.askAll({ what, given });
  }

  /** Undefined if no node of that name is alive. */
  async #of<What extends Name>(node: string, what: What, given: Asked[What][0]): Promise<Asked[What][1] | undefined> {
    if (node === this.node) return this.#answering[what](given);
    const asked = await this.#questions.askOne<Asked[What][1]>(node, { what, given });
    if (asked && asked.missing.length > 0) throw new ZaguanError("NODE_UNAVAILABLE", { params: { node } });
    return asked?.answers[0]?.answer;
  }

  async #farHomes(): Promise<readonly HomeView[]> {
    const { answers } = await this.#askAll("homes", null);
    return answers.flatMap(({ answer }) => answer);
  }

  #row(): HubNode {
    const { version, startedUtc, uptimeSeconds, callsInFlight, open } = this.#shown.status();
    const held = this.#node.held.held();
    return {
      node: this.node,
      version,
      startedUtc,
      uptimeSeconds,
      load: Math.round(this.#node.load * 10) / 10,
      callsInFlight,
      open: open.reduce((sum, { count }) => sum + count, 0),
      owned: held.length,
      sources: held.slice(0, MOST_NAMED).map((name) => this.#held(name)),
      draining: this.#node.isDraining,
    };
  }

  #held(name: string): HubNode["sources"][number] {
    const pins = this.#node.held.pinsOf(name);
    return { name, pinned: pins ? [...pins] : null };
  }

  #liveFigures(): NonNullable<CallBatch["figures"]> {
    const { statistics, status, calls } = this.#shown;
    const inFlight = ownInFlight({ calls, status, cluster: this });
    return { point: statistics.current(), inFlight, uptimeSeconds: status().uptimeSeconds };
  }
}

function byName(one: HubNode, other: HubNode): number {
  return one.node < other.node ? -1 : 1;
}
