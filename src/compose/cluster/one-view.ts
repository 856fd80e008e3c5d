/**
 * The view of the whole cluster that every node offers to doors: asks the other nodes, answers their questions, and subscribes to
 * their events while somebody watches. The asking principal travels with each question, so that each node checks its rights.
 */
import type { Peer } from "../../cluster/peer.ts";
import type { CallDetail, Figures } from "../../contract/call.ts";
import type { HubNode, Nodes } from "../../contract/node.ts";
import type { Principal } from "../../core/call.ts";
import type { CallPlace, ClusterApi, FoundCalls, WantedCalls } from "../../doors/cluster/cluster-api.ts";
import type { DoorContext } from "../../doors/door.ts";
import { foundCalls } from "../../doors/live/found-calls.ts";
import { ownFigures, ownInFlight } from "../../doors/live/merged-figures.ts";
import type { HomeView, HouseLive } from "../../doors/live/views.ts";
import { ZaguanError } from "../../errors.ts";
import { Feeds } from "../../nodes/feeds.ts";
import type { NodeOfCluster } from "../../nodes/node-of-cluster.ts";
import { type Answers, Questions } from "../../nodes/questions.ts";
import { AllHomes, type HomesBatch, homePoller } from "./all-homes.ts";
import { type CallBatch, callPoller, RemoteCallWatches, type Topic, topicOf } from "./remote-calls.ts";

/** What a node publishes about itself. */
export type Shown = Pick<DoorContext, "calls" | "status" | "statistics" | "queue" | "report"> & {
  readonly houseLive: HouseLive;
};

/** The parameters and the answer of each question. */
interface QuestionTypes {
  readonly node: [null, HubNode];
  readonly calls: [{ readonly wanted: WantedCalls; readonly by: Principal }, FoundCalls];
  /** Null if there is no call that the principal may see. */
  readonly call: [{ readonly id: number; readonly by: Principal }, CallDetail | null];
  readonly cancel: [{ readonly id: number; readonly by: Principal }, "cancelled" | "ended" | null];
  readonly figures: [null, Figures];
  readonly homes: [null, readonly HomeView[]];
  readonly drain: [{ readonly isDraining: boolean }, true];
}

type QuestionName = keyof QuestionTypes;
type Answerers = {
  readonly [What in QuestionName]: (
    given: QuestionTypes[What][0],
  ) => QuestionTypes[What][1] | Promise<QuestionTypes[What][1]>;
};
type Question = {
  readonly [What in QuestionName]: { readonly what: What; readonly given: QuestionTypes[What][0] };
}[QuestionName];

/** The most names of sources in one answer. */
const MOST_NAMED = 1_000;

export class OneView implements ClusterApi {
  readonly node: string;
  /** The simulated house and the homes of all nodes. */
  readonly houses: HouseLive;
  readonly #node: NodeOfCluster;
  readonly #shown: Shown;
  readonly #questions: Questions;
  readonly #watches: RemoteCallWatches;
  readonly #answerers: Answerers;

  constructor(node: NodeOfCluster, shown: Shown) {
    this.node = node.self.node;
    this.#node = node;
    this.#shown = shown;
    this.#answerers = this.#makeAnswerers();
    const opened = (name: string) => (take: (from: Peer, news: unknown) => void) => node.channel(name, take);
    this.#questions = new Questions({
      open: opened("questions"),
      answer: (question) => this.#answer(question as Question),
      report: (cause) => void shown.report(cause),
    });
    const feeds = new Feeds<Topic, CallBatch>({
      open: opened("calls"),
      openPoller: (topic) => callPoller(topic, shown.calls, () => this.#liveFigures()),
    });
    const members = { others: () => node.others(), onMembers: (listener: () => void) => node.onMembers(listener) };
    this.#watches = new RemoteCallWatches({ ...members, watch: (...watched) => feeds.watch(...watched) });
    const homes = new Feeds<null, HomesBatch>({
      open: opened("houses"),
      openPoller: () => homePoller(shown.houseLive),
    });
    this.houses = new AllHomes({
      ...members,
      own: shown.houseLive,
      isOurs: (name) => node.held.isOurs(name),
      ask: () => this.#homesOfOthers(),
      watch: (take) => homes.watch("homes", null, take),
    });
  }

  view(): ReturnType<ClusterApi["view"]> {
    return this.#node.view();
  }

  async nodes(): Promise<Nodes> {
    const { answers, missing } = await this.#askAll("node", null);
    const nodes = [this.#ownStatus(), ...answers.map(({ answer }) => answer)].sort(byName);
    const unheld = this.view().sources.filter(({ node }) => node === null);
    return {
      node: this.node,
      nodes,
      missing,
      unheld: unheld.slice(0, MOST_NAMED).map(({ name }) => this.#heldSource(name)),
    };
  }

  async drain(node: string, isDraining: boolean): Promise<boolean> {
    const isDone = await this.#askNode(node, "drain", { isDraining });
    return isDone ?? false;
  }

  async calls(wanted: WantedCalls, principal: Principal): ReturnType<ClusterApi["calls"]> {
    const { answers, missing } = await this.#askAll("calls", { wanted, by: topicOf(principal).principal });
    const rows = answers.flatMap(({ node, answer }) => answer.rows.map((row) => ({ ...row, node })));
    return { rows, total: answers.reduce((sum, { answer }) => sum + answer.total, 0), missing };
  }

  async call({ node, id }: CallPlace, principal: Principal): Promise<CallDetail | undefined> {
    const found = await this.#askNode(node, "call", { id, by: topicOf(principal).principal });
    return found ? { ...found, node } : undefined;
  }

  async cancel({ node, id }: CallPlace, principal: Principal): Promise<"cancelled" | "ended" | undefined> {
    return (await this.#askNode(node, "cancel", { id, by: topicOf(principal).principal })) ?? undefined;
  }

  async figures(): ReturnType<ClusterApi["figures"]> {
    const { answers, missing } = await this.#askAll("figures", null);
    return { figures: answers.map(({ node, answer }) => ({ ...answer, node })), missing };
  }

  watch(principal: Principal): ReturnType<ClusterApi["watch"]> {
    return this.#watches.open(principal);
  }

  /** This node's answers, to other nodes and to itself. */
  #makeAnswerers(): Answerers {
    const { calls } = this.#shown;
    return {
      node: () => this.#ownStatus(),
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

  /** Throws for an unknown question, as a newer node may ask: the asker then counts this node as missing. */
  #answer({ what, given }: Question): unknown {
    if (!Object.hasOwn(this.#answerers, what)) throw new TypeError(`there is no question "${what}"`);
    return (this.#answerers[what] as (given: unknown) => unknown)(given);
  }

  #askAll<What extends QuestionName>(
    what: What,
    given: QuestionTypes[What][0],
  ): Promise<Answers<QuestionTypes[What][1]>> {
    return this.#questions.askAll({ what, given });
  }

  /** Asks one node, which may be this one; undefined if no node of that name is alive. */
  async #askNode<What extends QuestionName>(
    node: string,
    what: What,
    given: QuestionTypes[What][0],
  ): Promise<QuestionTypes[What][1] | undefined> {
    if (node === this.node) return this.#answerers[what](given);
    const asked = await this.#questions.askOne<QuestionTypes[What][1]>(node, { what, given });
    if (asked && asked.missing.length > 0) throw new ZaguanError("NODE_UNAVAILABLE", { params: { node } });
    return asked?.answers[0]?.answer;
  }

  async #homesOfOthers(): Promise<readonly HomeView[]> {
    const { answers } = await this.#askAll("homes", null);
    return answers.flatMap(({ answer }) => answer);
  }

  #ownStatus(): HubNode {
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
      sources: held.slice(0, MOST_NAMED).map((name) => this.#heldSource(name)),
      draining: this.#node.isDraining,
    };
  }

  #heldSource(name: string): HubNode["sources"][number] {
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
