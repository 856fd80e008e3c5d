/**
 * Drives the state machine of one node (`cluster/cluster-node.ts`): passes it the events of bus, database and clock, and performs
 * the effects that it returns, in their order.
 */
import { performance } from "node:perf_hooks";
import type { Bus, Sender } from "../bus/bus.ts";
import { type ClusterEffect, type ClusterMessage, ClusterNode } from "../cluster/cluster-node.ts";
import type { LeaseTable } from "../cluster/lease-table.ts";
import type { Owner, Peer } from "../cluster/peer.ts";
import type { KeyIndex } from "../cluster/shares.ts";
import { ForwardedCalls } from "./forwarded-calls.ts";
import { ServedCalls } from "./served-calls.ts";

/** A message of the hub to another node, of which the state machine knows nothing. */
interface HubMessage {
  readonly kind: "news";
  readonly news: unknown;
}

interface Envelope {
  /** The sender's boot id in the lease table; the bus has a boot id of its own. */
  readonly boot: string;
  /** The boot id of the receiver, if only this run of the node may take the message. */
  readonly to?: string | undefined;
  readonly message: ClusterMessage | HubMessage;
}

interface DriverSetup {
  readonly self: Peer;
  readonly bus: Bus;
  readonly leases: LeaseTable;
  readonly index: KeyIndex & { all(): readonly string[] };
  /** The owner of a device that needs no lease; undefined for all other keys. */
  unleased(key: string): Owner | undefined;
  readonly hub: ConstructorParameters<typeof ServedCalls>[0];
  /** The longest that a call may take, in milliseconds. */
  maxCallMs(): number;
  /** Starts what runs for the key, which this node holds from now on. */
  begin(key: string, epoch: number): void;
  /** Ends what runs for the key in an orderly way; resolves when it has ended. */
  stop(key: string): Promise<void>;
  /** Ends what runs for the key at once: another node may hold it soon. */
  end(key: string): void;
  /** Sets when nothing of the key may run any more, in milliseconds of `performance.now()`, even if this process hangs or dies. */
  deadline(key: string, at: number): void;
  received(from: Peer, message: unknown): void;
  /** Called when a node has joined or left. */
  onMembers(peer: Peer, isThere: boolean): void;
  /** Called when a newer process has started under this node's name: this one has to end. */
  onReplaced(): void;
  report(cause: unknown): void;
}

const TICK_MS = 50;
const POLL_MS = 25;
/** How often the database is asked who holds the keys whose owner is unknown. */
const LOCATE_MS = 2_000;

export class NodeDriver {
  readonly #setup: DriverSetup;
  readonly #machine: ClusterNode;
  readonly calls: ForwardedCalls;
  readonly #served: ServedCalls;
  readonly #members = new Map<string, Peer>();
  /** Messages that nobody waits for, by node: they are sent with the next message to that node, or at the next tick. */
  readonly #delayed = new Map<string, string[]>();
  readonly #effects: ClusterEffect[] = [];
  #isPerforming = false;
  #ticking: NodeJS.Timeout | undefined;
  #lastUse = performance.eventLoopUtilization();
  #load = 0;
  #locatedAt = 0;
  readonly #stopListening: (() => void)[] = [];

  constructor(setup: DriverSetup) {
    const { self, bus, index, unleased, hub } = setup;
    this.#setup = setup;
    this.#machine = new ClusterNode({ self, index, unleased });
    const machine = this.#machine;
    const now = (): number => performance.now();
    this.calls = new ForwardedCalls({
      ...self,
      maxCallMs: () => setup.maxCallMs(),
      machine: {
        call: (call) => this.#run(machine.call(call, now())),
        cancel: (call) => this.#run(machine.cancel(call, now())),
        answer: (call, question, text) => this.#run(machine.answer(call, question, text, now())),
      },
    });
    this.#served = new ServedCalls(hub, {
      turn: (ref) => this.#run(machine.turn(ref, now())),
      refused: (ref, error) => this.#run(machine.refused(ref, error, now())),
      note: (ref, kind, text) => this.#run(machine.note(ref, kind, text, now())),
      finished: (ref, outcome) => this.#run(machine.finished(ref, outcome, now())),
      ask: (ref, text) => {
        const { question, effects } = machine.ask(ref, text, now());
        // Deferred, because the effects may hold the answer, and the caller first needs the number of its question.
        queueMicrotask(() => this.#run(effects));
        return question;
      },
      withdraw: (ref, question) => this.#run(machine.withdraw(ref, question, now())),
    });
    machine.connected(bus.state().link === "connected", now());
    this.#stopListening.push(
      bus.listen((from, text) => this.#receivedText(from, text)),
      bus.watch(({ link }) => machine.connected(link === "connected", now())),
      bus.watchUnheard((node) => this.#run(machine.unheard(node, now()))),
    );
  }

  start(): void {
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
  }

  /** All other live nodes. */
  members(): readonly Peer[] {
    return [...this.#members.values()];
  }

  /** The live node that holds the key, if it is known; it may be this node. */
  ownerOf(key: string): Peer | undefined {
    const owner = this.#machine.ownerOf(key);
    const { self } = this.#setup;
    if (owner?.boot === self.boot) return self;
    const member = owner && this.#members.get(owner.node);
    return member?.boot === owner?.boot ? member : undefined;
  }

  /** The other node that holds the key as far as this node knows, alive or not. */
  otherHolderOf(key: string): Peer | undefined {
    const owner = this.#machine.ownerOf(key);
    return owner?.boot === this.#setup.self.boot ? undefined : owner;
  }

  isAlive({ node, boot }: Peer): boolean {
    return this.#members.get(node)?.boot === boot;
  }

  /** Passes on what happened to a device's socket at this node, or that one without a name has left another ("removed"). */
  device(key: string, what: "dialled" | "stillDialled" | "hungUp" | "removed"): void {
    this.#run(this.#machine[what](key, performance.now()));
  }

  /** Called after a source that only one node may hold was added to the index, or removed from it. */
  sourceChanged(key: string, isThere: boolean): void {
    this.#run(this.#machine.sourceChanged(key, isThere, performance.now()));
  }

  /** Sends to every other node; false if the message certainly did not leave. */
  cast(message: unknown): boolean {
    return this.#setup.bus.cast(this.#encoded({ kind: "news", news: message })) > 0;
  }

  /** False if the message certainly did not leave. */
  tell(to: Peer, message: unknown): boolean {
    return this.#setup.bus.send({ node: to.node }, this.#encoded({ kind: "news", news: message }, to)) !== 0;
  }

  /** How busy the event loop is, in percent: a moving average over some seconds. */
  get load(): number {
    return this.#load;
  }

  get isDatabaseAway(): boolean {
    return this.#machine.isDatabaseAway(performance.now());
  }

  get isDraining(): boolean {
    return this.#machine.isDraining;
  }

  drains(peer: Peer): boolean {
    return this.#machine.drains(peer);
  }

  /** Starts or stops draining: a node that drains hands over what others may hold, and takes nothing new. */
  drain(isDraining: boolean): void {
    this.#machine.drain(isDraining);
  }

  /** Starts to hand over what other nodes can hold, while clients may still call this node. */
  handOver(): void {
    this.#run(this.#machine.leave(performance.now(), true));
  }

  /**
   * Whether the lease of the key is valid at this moment. To be asked before work starts: a paused process learns late that a lease
   * has ended.
   */
  isLive(key: string): boolean {
    return this.#machine.epochOf(key, performance.now()) !== undefined;
  }

  /** Hands everything over to the other nodes, waits for that up to `timeoutMs`, and says goodbye. */
  async leave(timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs;
    this.#run(this.#machine.leave(performance.now()));
    while (!this.#machine.isEmpty && performance.now() < until) await new Promise((done) => setTimeout(done, POLL_MS));
    this.#run(this.#machine.bye());
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
    // A moving average: a node must not give sources away because of one busy moment.
    this.#load += (utilization * 100 - this.#load) / 100;
    const now = performance.now();
    this.#run(this.#machine.tick(now, this.#load));
    for (const node of [...this.#delayed.keys()]) this.#flushDelayed(node);
    if (now >= this.#locatedAt + LOCATE_MS) this.#locateUnknownOwners(now);
  }

  /** A new owner announces itself once; a node that joined later, or missed that message, asks the database. */
  #locateUnknownOwners(now: number): void {
    this.#locatedAt = now;
    const unknown = this.#setup.index.all().filter((key) => !this.ownerOf(key));
    this.#run(this.#machine.locate(unknown, now));
  }

  #receivedText({ node }: Sender, text: string): void {
    const { boot, to, message } = JSON.parse(text) as Envelope;
    if (to !== undefined && to !== this.#setup.self.boot) return;
    const from = { node, boot };
    if (message.kind === "news") this.#setup.received(from, message.news);
    else this.#run(this.#machine.received(from, message, performance.now()));
  }

  #encoded(message: Envelope["message"], to?: Peer): string {
    const envelope: Envelope = { boot: this.#setup.self.boot, to: to?.boot, message };
    return JSON.stringify(envelope);
  }

  /** Performs effects in their order. An effect may lead to more effects, which are appended. */
  #run(effects: readonly ClusterEffect[]): void {
    this.#effects.push(...effects);
    if (this.#isPerforming) return;
    this.#isPerforming = true;
    try {
      for (let next = this.#effects.shift(); next; next = this.#effects.shift()) this.#perform(next);
    } finally {
      this.#isPerforming = false;
    }
  }

  /** A table of what each effect does. */
  #perform(effect: ClusterEffect): void {
    const { begin, end, deadline, onMembers, onReplaced } = this.#setup;
    const { calls } = this;
    const served = this.#served;
    switch (effect.do) {
      case "send":
        this.#send(effect.to, effect.message);
        break;
      case "cast":
        this.#setup.bus.cast(this.#encoded(effect.message));
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
      queueMicrotask(
        () => to.boot === self.boot && this.#run(this.#machine.received(self, message, performance.now())),
      );
      return;
    }
    // This only lets the owner forget the answer. To send it at once would cost one more envelope per call.
    if (message.kind === "taken" && message.parts === "all") {
      this.#delayed.set(to.node, [...(this.#delayed.get(to.node) ?? []), this.#encoded(message, to)]);
      return;
    }
    this.#flushDelayed(to.node);
    const hasLeft = bus.send({ node: to.node }, this.#encoded(message, to)) !== 0;
    if (!hasLeft) queueMicrotask(() => this.#run(this.#machine.undelivered(message, performance.now())));
  }

  #flushDelayed(node: string): void {
    for (const text of this.#delayed.get(node) ?? []) this.#setup.bus.send({ node }, text);
    this.#delayed.delete(node);
  }

  /** Sends a statement to the database. The state machine repeats a statement that gets no answer. */
  async #request({ id, request }: Extract<ClusterEffect, { do: "request" }>): Promise<void> {
    const { leases, self } = this.#setup;
    const rows = await leases.request(self, request).catch(() => undefined);
    if (rows) this.#run(this.#machine.answered(id, rows, performance.now()));
    else this.#machine.requestFailed(id, performance.now());
  }

  async #stop(key: string, epoch: number): Promise<void> {
    await this.#setup.stop(key).catch((cause: unknown) => this.#setup.report(cause));
    this.#run(this.#machine.stopped(key, epoch, performance.now()));
  }
}
