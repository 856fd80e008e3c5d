/**
 * Asks other nodes a question and collects one answer from each, for at most a second. A node that has not answered by then, or
 * is gone, is named as missing; the asker gets the answers that did arrive.
 */
import type { Peer } from "../cluster/peer.ts";
import type { Channel } from "./channel.ts";

const ANSWER_TIMEOUT_MS = 1_000;

type QuestionNews =
  | { readonly what: "ask"; readonly id: number; readonly question: unknown }
  /** `isDone` is false if the node could not answer. */
  | { readonly what: "answer"; readonly id: number; readonly isDone: boolean; readonly answer?: unknown };

export interface Answers<Answer> {
  readonly answers: readonly { readonly node: string; readonly answer: Answer }[];
  /** The names of the nodes that were asked and did not answer. */
  readonly missing: readonly string[];
}

interface Pending {
  /** The nodes that have not answered yet, by boot id. */
  readonly waiting: Map<string, Peer>;
  readonly answers: { readonly node: string; readonly answer: unknown }[];
  readonly missing: string[];
  readonly settled: PromiseWithResolvers<Answers<unknown>>;
  readonly timer: NodeJS.Timeout;
}

interface QuestionsSetup {
  open(take: (from: Peer, news: unknown) => void): Channel;
  /** Answers for this node. If it rejects, the cause is reported here and the asker is reply that there is no answer. */
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
    this.#channel = setup.open((from, news) => this.#received(from, news as QuestionNews));
    this.#channel.onMembers(() => this.#membersChanged());
  }

  /** Asks all other live nodes. */
  async askAll<Answer>(question: unknown): Promise<Answers<Answer>> {
    const others = this.#channel.others();
    return this.#ask<Answer>(others, question, (news) => this.#channel.cast(news));
  }

  /** Asks one node; undefined if no node of that name is alive. */
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
    const timer = setTimeout(() => this.#settle(id), ANSWER_TIMEOUT_MS);
    this.#pending.set(id, { waiting, answers: [], missing: [], settled, timer });
    send({ what: "ask", id, question });
    return (await settled.promise) as Answers<Answer>;
  }

  #received(from: Peer, news: QuestionNews): void {
    if (news.what === "ask") void this.#answer(from, news.id, news.question);
    else this.#answered(from, news);
  }

  async #answer(from: Peer, id: number, question: unknown): Promise<void> {
    let reply: QuestionNews = { what: "answer", id, isDone: false };
    try {
      reply = { what: "answer", id, isDone: true, answer: await this.#setup.answer(question) };
    } catch (cause) {
      this.#setup.report(cause);
    }
    this.#channel.tell(from, reply);
  }

  #answered({ node, boot }: Peer, { id, isDone, answer }: Extract<QuestionNews, { what: "answer" }>): void {
    const pending = this.#pending.get(id);
    if (!pending?.waiting.delete(boot)) return;
    if (isDone) pending.answers.push({ node, answer });
    else pending.missing.push(node);
    if (pending.waiting.size === 0) this.#settle(id);
  }

  /** Stops waiting for nodes that are gone. */
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
