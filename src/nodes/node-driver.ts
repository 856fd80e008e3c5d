/**
 * Drives the machine of one node (`cluster/cluster-node.ts`): tells it what happens on the bus, in the database and on the clock,
 * and does what it says, in the order in which it says it.
 */
import { performance } from "node:perf_hooks";
import type { Bus, Sender } from "../bus/bus.ts";
import { type ClusterEffect, type ClusterMessage, ClusterNode } from "../cluster/cluster-node.ts";
import type { LeaseTable } from "../cluster/lease-table.ts";
import type { Owner, Peer } from "../cluster/peer.ts";
import type { KeyIndex } from "../cluster/shares.ts";
import { ForwardedCalls } from "./forwarded-calls.ts";
import { ServedCalls } from "./served-calls.ts";

/** What nodes tell each other beside what the machine says: the hub's own affairs. */
interface NodeNews {
  readonly kind: "news";
  readonly news: unknown;
}

interface Envelope {
  /** The boot of the sender, in the machine's words: the bus has one of its own. */
  readonly boot: string;
  /** Whom it is for, where only one run of a node may take it. */
  readonly to?: string | undefined;
  readonly message: ClusterMessage | NodeNews;
}

interface DriverSetup {
  readonly self: Peer;
  readonly bus: Bus;
  readonly leases: LeaseTable;
  readonly index: KeyIndex & { all(): readonly string[] };
  /** Who has a device that needs no lease. */
  unleased(key: string): Owner | undefined;
  readonly hub: ConstructorParameters<typeof ServedCalls>[0];
  /** The longest that a call may take, in milliseconds. */
  mostMs(): number;
  /** This node holds the key from now on. */
  begin(key: string, epoch: number): void;
  /** Ends what runs for the key in good order. */
  stop(key: string): Promise<void>;
  /** Ends what runs for the key now: another node may hold it soon. */
  end(key: string): void;
  /** At this instant, in milliseconds of `performance.now()`, nothing of the key may run any more, whatever became of us. */
  deadline(key: string, at: number): void;
  heard(from: Peer, news: unknown): void;
  /** A node has come or gone. */
  onMembers(peer: Peer, isThere: boolean): void;
  /** Another process has this node's name: this one has to end. */
  onReplaced(): void;
  report(cause: unknown): void;
}

const TICK_MS = 50;
/** Offers whose delivery may still be denied by NATS. */
const MOST_OFFERS = 4_096;
const LOOK_MS = 25;
/** How often it is asked who holds what nobody is known to hold. */
const SEEK_OWNERS_MS = 2_000;

export class NodeDriver {
  readonly #setup: DriverSetup;
  readonly #machine: ClusterNode;
  readonly calls: ForwardedCalls;
  readonly #served: ServedCalls;
  readonly #members = new Map<string, Peer>();
  readonly #offers = new Map<number, ClusterMessage>();
  /** By node: messages that nobody waits for, which go with the next one, or soon. */
  readonly #unhurried = new Map<string, string[]>();
  readonly #effects: ClusterEffect[] = [];
  #isDoing = false;
  #ticking: NodeJS.Timeout | undefined;
  #lastUse = performance.eventLoopUtilization();
  #load = 0;
  #soughtAt = 0;
  readonly #stopListening: (() => void)[] = [];

  constructor(setup: DriverSetup) {
    const { self, bus, index, unleased, hub } = setup;
    this.#setup = setup;
    this.#machine = new ClusterNode({ self, index, unleased });
    const machine = this.#machine;
    const now = (): number => performance.now();
    this.calls = new ForwardedCalls({
      ...self,
      mostMs: () => setup.mostMs(),
      machine: {
        call: (call) => this.#do(machine.call(call, now())),
        cancel: (call) => this.#do(machine.cancel(call, now())),
        answer: (call, question, text) => this.#do(machine.answer(call, question, text, now())),
      },
    });
    this.#served = new ServedCalls(hub, {
      turn: (ref) => this.#do(machine.turn(ref, now())),
      refused: (ref, error) => this.#do(machine.refused(ref, error, now())),
      note: (ref, kind, text) => this.#do(machine.note(ref, kind, text, now())),
      finished: (ref, outcome) => this.#do(machine.finished(ref, outcome, now())),
      ask: (ref, text) => {
        const { question, effects } = machine.ask(ref, text, now());
        // Only when whoever asks knows the number of its question.
        queueMicrotask(() => this.#do(effects));
        return question;
      },
      withdraw: (ref, question) => this.#do(machine.withdraw(ref, question, now())),
    });
    machine.connected(bus.state().link === "connected", now());
    this.#stopListening.push(
      bus.listen((from, text) => this.#received(from, text)),
      bus.watch(({ link }) => machine.connected(link === "connected", now())),
      bus.watchUnheard((_node, number) => this.#unheard(number)),
    );
  }

  start(): void {
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
  }

  /** All other nodes that are alive. */
  members(): readonly Peer[] {
    return [...this.#members.values()];
  }

  /** Who holds the key, if that is known and alive; this node is one of them. */
  ownerOf(key: string): Peer | undefined {
    const owner = this.#machine.ownerOf(key);
    const { self } = this.#setup;
    if (owner?.boot === self.boot) return self;
    const member = owner && this.#members.get(owner.node);
    return member?.boot === owner?.boot ? member : undefined;
  }

  /** Another node that holds the key, to the best of our knowledge, alive or not. */
  otherHolderOf(key: string): Peer | undefined {
    const owner = this.#machine.ownerOf(key);
    return owner?.boot === this.#setup.self.boot ? undefined : owner;
  }

  isAlive({ node, boot }: Peer): boolean {
    return this.#members.get(node)?.boot === boot;
  }

  /** What became of a device's socket at this node. */
  device(key: string, what: "dialled" | "stillDialled" | "hungUp"): void {
    this.#do(this.#machine[what](key, performance.now()));
  }

  /** A source that only one node may hold was added or removed; the index knows of it already. */
  sourceChanged(key: string, isThere: boolean): void {
    this.#do(this.#machine.sourceChanged(key, isThere, performance.now()));
  }

  /** To every other node; false where it certainly never left. */
  cast(news: unknown): boolean {
    return this.#setup.bus.cast(this.#sealed({ kind: "news", news })) > 0;
  }

  /** False where it certainly did not leave. */
  tell(to: Peer, news: unknown): boolean {
    return this.#setup.bus.send({ node: to.node }, this.#sealed({ kind: "news", news }, to)) !== 0;
  }

  /** How busy this process is, in percent: a mean over some seconds. */
  get load(): number {
    return this.#load;
  }

  get isDraining(): boolean {
    return this.#machine.isDraining;
  }

  drains(peer: Peer): boolean {
    return this.#machine.drains(peer);
  }

  /** Hands over what others may hold and takes nothing, until it is told otherwise. */
  drain(isDraining: boolean): void {
    this.#machine.drain(isDraining);
  }

  /** Begins to hand over what other nodes can hold, while clients may still call here. */
  handOver(): void {
    this.#do(this.#machine.leave(performance.now(), true));
  }

  /** Whether this node may work for the key at this moment: a process that stood still learns of the end of a lease late. */
  isLive(key: string): boolean {
    return this.#machine.epochOf(key, performance.now()) !== undefined;
  }

  /** Hands everything over to the others and waits for that, but not for ever; then says goodbye. */
  async leave(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    this.#do(this.#machine.leave(performance.now()));
    while (!this.#machine.isEmpty && performance.now() < until) await new Promise((done) => setTimeout(done, LOOK_MS));
    this.#do(this.#machine.bye());
    this.end();
  }

  end(): void {
    clearInterval(this.#ticking);
    for (const stop of this.#stopListening.splice(0)) stop();
  }

  #tick(): void {
    const use = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(use, this.#lastUse);
    this.#lastUse = use;
    // A mean over some seconds, in percent: a node must not give sources away for one busy moment.
    this.#load += (utilization * 100 - this.#load) / 100;
    const now = performance.now();
    this.#do(this.#machine.tick(now, this.#load));
    for (const node of [...this.#unhurried.keys()]) this.#hurry(node);
    if (now >= this.#soughtAt + SEEK_OWNERS_MS) this.#seekOwners(now);
  }

  /** Owners tell of themselves when they begin, which a node that was not there did not hear. */
  #seekOwners(now: number): void {
    this.#soughtAt = now;
    const unknown = this.#setup.index.all().filter((key) => !this.ownerOf(key));
    this.#do(this.#machine.locate(unknown, now));
  }

  #received({ node }: Sender, text: string): void {
    const { boot, to, message } = JSON.parse(text) as Envelope;
    if (to !== undefined && to !== this.#setup.self.boot) return;
    const from = { node, boot };
    if (message.kind === "news") this.#setup.heard(from, message.news);
    else this.#do(this.#machine.received(from, message, performance.now()));
  }

  /** A hint and no proof, so that it is believed of offers alone: offering again does no harm. */
  #unheard(number: number): void {
    const message = this.#offers.get(number);
    if (message) this.#do(this.#machine.undelivered(message, performance.now()));
  }

  #sealed(message: Envelope["message"], to?: Peer): string {
    const envelope: Envelope = { boot: this.#setup.self.boot, to: to?.boot, message };
    return JSON.stringify(envelope);
  }

  /** What is to be done may lead to more: all of it is done in its order, one after another. */
  #do(effects: readonly ClusterEffect[]): void {
    this.#effects.push(...effects);
    if (this.#isDoing) return;
    this.#isDoing = true;
    try {
      for (let next = this.#effects.shift(); next; next = this.#effects.shift()) this.#doOne(next);
    } finally {
      this.#isDoing = false;
    }
  }

  /** A table of what each effect means. */
  #doOne(effect: ClusterEffect): void {
    const { begin, end, deadline, onMembers, onReplaced } = this.#setup;
    const { calls } = this;
    const served = this.#served;
    switch (effect.do) {
      case "send":
        this.#send(effect.to, effect.message);
        break;
      case "cast":
        this.#setup.bus.cast(this.#sealed(effect.message));
        break;
      case "request":
        void this.#request(effect);
        break;
      case "deadline":
        deadline(effect.key, effect.at);
        break;
      case "begin":
        begin(effect.key, effect.epoch);
        break;
      case "stop":
        void this.#stop(effect.key, effect.epoch);
        break;
      case "end":
        end(effect.key);
        break;
      case "enqueue":
        served.enqueue(effect.ref, effect.offer);
        break;
      case "leave":
        served.leave(effect.ref);
        break;
      case "execute":
        served.execute(effect.ref);
        break;
      case "abort":
        served.abort(effect.ref);
        break;
      case "answer":
        served.answer(effect.ref, effect.question, effect.text);
        break;
      case "ended":
        calls.ended(effect.call, effect.outcome);
        break;
      case "progress":
        calls.progress(effect.call, effect.text);
        break;
      case "log":
        calls.said(effect.call, effect.text);
        break;
      case "ask":
        calls.asked(effect.call, effect.question, effect.text);
        break;
      case "withdraw":
        calls.withdrawn(effect.call, effect.question);
        break;
      case "came":
        this.#members.set(effect.peer.node, effect.peer);
        onMembers(effect.peer, true);
        break;
      case "gone":
        this.#members.delete(effect.peer.node);
        onMembers(effect.peer, false);
        break;
      case "replaced":
        onReplaced();
        break;
    }
  }

  #send(to: Peer, message: ClusterMessage): void {
    const { self, bus } = this.#setup;
    if (to.node === self.node) {
      queueMicrotask(() => to.boot === self.boot && this.#do(this.#machine.received(self, message, performance.now())));
      return;
    }
    // An owner may forget an answer that was taken: every call would pay for an envelope more to say so at once.
    if (message.kind === "taken" && message.parts === "all") {
      this.#unhurried.set(to.node, [...(this.#unhurried.get(to.node) ?? []), this.#sealed(message, to)]);
      return;
    }
    this.#hurry(to.node);
    const number = bus.send({ node: to.node }, this.#sealed(message, to));
    if (number === 0) queueMicrotask(() => this.#do(this.#machine.undelivered(message, performance.now())));
    else if (message.kind === "offer") this.#remember(number, message);
  }

  #hurry(node: string): void {
    for (const text of this.#unhurried.get(node) ?? []) this.#setup.bus.send({ node }, text);
    this.#unhurried.delete(node);
  }

  #remember(number: number, message: ClusterMessage): void {
    this.#offers.set(number, message);
    if (this.#offers.size > MOST_OFFERS) this.#offers.delete(this.#offers.keys().next().value ?? number);
  }

  /** A statement without an answer is followed by another: the machine sees to that. */
  async #request({ id, request }: Extract<ClusterEffect, { do: "request" }>): Promise<void> {
    const { leases, self } = this.#setup;
    const rows = await leases.request(self, request).catch(() => undefined);
    if (rows) this.#do(this.#machine.answered(id, rows, performance.now()));
    else this.#machine.unreached();
  }

  async #stop(key: string, epoch: number): Promise<void> {
    await this.#setup.stop(key).catch((cause: unknown) => this.#setup.report(cause));
    this.#do(this.#machine.stopped(key, epoch, performance.now()));
  }
}
