/**
 * One question to other nodes, with one answer from each. Nobody is waited for longer than a second: a node that has not
 * answered by then, or is gone, is named as missing. Who asks gets what could be had.
 */
import type { Peer } from "../cluster/peer.ts";
import type { Channel } from "./channel.ts";

const PATIENCE_MS = 1_000;

type QuestionNews =
  | { readonly what: "ask"; readonly id: number; readonly question: unknown }
  /** Without `isDone` the node could not answer. */
  | { readonly what: "answer"; readonly id: number; readonly isDone: boolean; readonly answer?: unknown };

export interface Answers<Answer> {
  readonly answers: readonly { readonly node: string; readonly answer: Answer }[];
  /** Names of the nodes that were asked and did not answer. */
  readonly missing: readonly string[];
}

interface Pending {
  /** Those who have not answered yet. */
  readonly waiting: Map<string, Peer>;
  readonly answers: { readonly node: string; readonly answer: unknown }[];
  readonly missing: string[];
  readonly settled: PromiseWithResolvers<Answers<unknown>>;
  readonly timer: NodeJS.Timeout;
}

interface QuestionsSetup {
  open(take: (from: Peer, news: unknown) => void): Channel;
  /** Answers for this node; a rejection is reported, and told as no answer. */
  answer(question: unknown): unknown;
  report(cause: unknown): void;
}

export class Questions {
  readonly #setup: QuestionsSetup;
  readonly #channel: Channel;
  readonly #pending = new Map<number, Pending>();
  #count = 0;

  constructor(setup: QuestionsSetup) {
    this.#setup = setup;
    this.#channel = setup.open((from, news) => this.#take(from, news as QuestionNews));
    this.#channel.onMembers(() => this.#membersChanged());
  }

  /** Asks all other nodes that are alive. */
  async askAll<Answer>(question: unknown): Promise<Answers<Answer>> {
    const others = this.#channel.others();
    return this.#ask<Answer>(others, question, (news) => this.#channel.cast(news));
  }

  /** Asks one node; undefined where it is none that is alive. */
  async askOne<Answer>(node: string, question: unknown): Promise<Answers<Answer> | undefined> {
    const peer = this.#channel.others().find((other) => other.node === node);
    return peer && this.#ask<Answer>([peer], question, (news) => this.#channel.tell(peer, news));
  }

  async #ask<Answer>(
    peers: readonly Peer[],
    question: unknown,
    send: (news: QuestionNews) => void,
  ): Promise<Answers<Answer>> {
    if (peers.length === 0) return { answers: [], missing: [] };
    const id = ++this.#count;
    const waiting = new Map(peers.map((peer) => [peer.boot, peer]));
    const settled = Promise.withResolvers<Answers<unknown>>();
    const timer = setTimeout(() => this.#settle(id), PATIENCE_MS);
    this.#pending.set(id, { waiting, answers: [], missing: [], settled, timer });
    send({ what: "ask", id, question });
    return (await settled.promise) as Answers<Answer>;
  }

  #take(from: Peer, news: QuestionNews): void {
    if (news.what === "ask") void this.#answer(from, news.id, news.question);
    else this.#answered(from, news);
  }

  async #answer(from: Peer, id: number, question: unknown): Promise<void> {
    let told: QuestionNews = { what: "answer", id, isDone: false };
    try {
      told = { what: "answer", id, isDone: true, answer: await this.#setup.answer(question) };
    } catch (cause) {
      this.#setup.report(cause);
    }
    this.#channel.tell(from, told);
  }

  #answered({ node, boot }: Peer, { id, isDone, answer }: Extract<QuestionNews, { what: "answer" }>): void {
    const pending = this.#pending.get(id);
    if (!pending?.waiting.delete(boot)) return;
    if (isDone) pending.answers.push({ node, answer });
    else pending.missing.push(node);
    if (pending.waiting.size === 0) this.#settle(id);
  }

  /** Of a node that is gone no answer will come. */
  #membersChanged(): void {
    const alive = new Set(this.#channel.others().map(({ boot }) => boot));
    for (const [id, { waiting, missing }] of this.#pending) {
      for (const [boot, { node }] of waiting)
        if (!alive.has(boot)) {
          waiting.delete(boot);
          missing.push(node);
        }
      if (waiting.size === 0) this.#settle(id);
    }
  }

  #settle(id: number): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (!pending) return;
    clearTimeout(pending.timer);
    const missing = [...pending.missing, ...[...pending.waiting.values()].map(({ node }) => node)].sort();
    const answers = pending.answers.sort((one, other) => (one.node < other.node ? -1 : 1));
    pending.settled.resolve({ answers, missing });
  }
}
