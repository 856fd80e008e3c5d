/**
 * The bus over core NATS: every message is sealed with the cluster's secret, so that NATS and its other tenants carry what they can
 * neither read nor make up. What they can do, and the form of a message: docs/bus.md.
 */
import { randomBytes } from "node:crypto";
import type { Bus, BusCounts, BusListener, BusMessage, BusState, Drop, NodeId, Receiver } from "./bus.ts";
import type { ClusterSecrets } from "./cluster-secret.ts";
import { BusConnection } from "./connection.ts";
import { dialNats, type NatsSettings } from "./dial.ts";
import { isBoot } from "./envelope.ts";
import { type Ended, KeptConnection } from "./keep-connected.ts";
import { isNodeName, Subjects } from "./names.ts";
import { Opener, REFUSALS, type Refusal } from "./open.ts";
import type { Target } from "./outgoing.ts";
import { Assembly } from "./parts.ts";
import { Sealer } from "./seal.ts";

export interface BusOptions {
  readonly node: NodeId;
  readonly nats: NatsSettings;
  readonly secrets: ClusterSecrets;
  /** Tells clusters on one NATS apart. */
  readonly prefix?: string;
  /** The largest message, in bytes of UTF-8. @default 16 MiB */
  readonly maxMessageBytes?: number;
  /** The most that may wait to be sent, in bytes. @default twice the largest message */
  readonly maxBacklogBytes?: number;
  /** Told what a listener threw. */
  readonly onFault?: (cause: unknown) => void;
}

const DEFAULT_PREFIX = "zaguan";
const MAX_MESSAGE_BYTES = 16_777_216;
const UNFINISHED_PER_SENDER = 32;
/** All unfinished messages together may take as much as four of the largest. */
const UNFINISHED_LARGEST = 4;
const PART_PATIENCE_MS = 20_000;
const SWEEP_MS = 5_000;
const TWIN_MS = 30_000;

/** Rejects with a BusError, whose message is one line for whoever configured it, if the first connection cannot be made. */
export async function openBus(options: BusOptions): Promise<Bus> {
  const bus = new NatsBus(options);
  await bus.open();
  return bus;
}

class NatsBus implements Bus {
  readonly node: NodeId;
  readonly boot: string = randomBytes(16).toString("base64url");
  readonly #options: BusOptions;
  readonly #maxMessageBytes: number;
  readonly #subjects: Subjects;
  readonly #sealer: Sealer;
  readonly #opener: Opener;
  readonly #assembly: Assembly;
  readonly #kept: KeptConnection<BusConnection>;
  readonly #listeners = new Set<BusListener>();
  readonly #unheard = new Set<(to: NodeId, number: number) => void>();
  readonly #watchers = new Set<(state: BusState) => void>();
  readonly #dropped: Record<Drop, number> = { away: 0, backlog: 0, tooLarge: 0, noSuchNode: 0 };
  readonly #refused = Object.fromEntries(REFUSALS.map((name) => [name, 0])) as Record<Refusal, number>;
  #sent = 0;
  #received = 0;
  #faults = 0;
  #twin: { readonly boot: string; heardAt: number } | undefined;
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: BusOptions) {
    const { node, secrets, prefix = DEFAULT_PREFIX, maxMessageBytes = MAX_MESSAGE_BYTES } = options;
    this.node = node;
    const us = { node, boot: this.boot };
    this.#options = options;
    this.#maxMessageBytes = maxMessageBytes;
    this.#subjects = new Subjects(prefix, node);
    this.#sealer = new Sealer(secrets[0], prefix, us);
    this.#opener = new Opener({ secrets, prefix, us, onTwin: (boot) => this.#hearTwin(boot) });
    this.#assembly = new Assembly({
      messageBytes: maxMessageBytes,
      allBytes: UNFINISHED_LARGEST * maxMessageBytes,
      perSender: UNFINISHED_PER_SENDER,
      patienceMs: PART_PATIENCE_MS,
    });
    this.#kept = new KeptConnection(
      (ended, signal) => this.#connect(ended, signal),
      () => this.#tellState(),
    );
  }

  async open(): Promise<void> {
    await this.#kept.open();
    this.#sweeping = setInterval(() => this.#assembly.sweep(performance.now()), SWEEP_MS).unref();
  }

  send({ node, boot = "" }: Receiver, message: BusMessage): number {
    const isOther = isNodeName(node) && node !== this.node && (boot === "" || isBoot(boot));
    return isOther ? this.#post({ subject: this.#subjects.of(node), boot, node }, message) : this.#drop("noSuchNode");
  }

  cast(message: BusMessage): number {
    return this.#post({ subject: this.#subjects.all, boot: "" }, message);
  }

  listen(listener: BusListener): () => void {
    return added(this.#listeners, listener);
  }

  watchUnheard(listener: (to: NodeId, number: number) => void): () => void {
    return added(this.#unheard, listener);
  }

  state(): BusState {
    const twin = this.#twin && performance.now() - this.#twin.heardAt < TWIN_MS ? this.#twin.boot : undefined;
    return { ...this.#kept.state, ...(twin !== undefined && { twin }) };
  }

  watch(listener: (state: BusState) => void): () => void {
    return added(this.#watchers, listener);
  }

  counts(): BusCounts {
    return {
      sent: this.#sent,
      received: this.#received,
      dropped: { ...this.#dropped },
      refused: { ...this.#refused },
      unfinished: this.#assembly.givenUp,
      faults: this.#faults,
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await this.#kept.close();
  }

  async #connect(ended: Ended, signal: AbortSignal): Promise<BusConnection> {
    const backlog = this.#options.maxBacklogBytes ?? 2 * this.#maxMessageBytes;
    const nats = await dialNats(this.#options.nats, `zaguan ${this.node}`, signal);
    const events = {
      onMessage: (bytes: Uint8Array, subject: string) => this.#take(bytes, subject),
      onUnheard: (to: NodeId, number: number) => this.#tell(this.#unheard, (listener) => listener(to, number)),
      onProblem: (reason: string) => this.#kept.complain(reason),
      onEnd: (reason: string) => ended.onEnd(reason),
    };
    try {
      const connection = new BusConnection(nats, this.#subjects, this.#sealer, events, backlog);
      await connection.start(this.#subjects);
      return connection;
    } catch (cause) {
      await nats.close();
      throw cause;
    }
  }

  #post(target: Target, message: BusMessage): number {
    const number = this.#kept.current?.outgoing.post(target, message, this.#maxMessageBytes) ?? "away";
    if (typeof number === "string") return this.#drop(number);
    this.#sent++;
    return number;
  }

  #drop(why: Drop): number {
    this.#dropped[why]++;
    return 0;
  }

  #take(bytes: Uint8Array, subject: string): void {
    const opened = this.#opener.open(bytes, subject);
    if (typeof opened === "string") {
      this.#refused[opened]++;
      return;
    }
    for (const message of this.#assembly.take(opened.from, opened.content, performance.now())) {
      this.#received++;
      this.#tell(this.#listeners, (listener) => listener(opened.from, message));
    }
  }

  #hearTwin(boot: string): void {
    const isNews = this.state().twin !== boot;
    this.#twin = { boot, heardAt: performance.now() };
    if (isNews) this.#tellState();
  }

  #tellState(): void {
    const state = this.state();
    this.#tell(this.#watchers, (watcher) => watcher(state));
  }

  /** The client would stop reading if something were thrown into it. */
  #tell<L>(listeners: ReadonlySet<L>, tell: (listener: L) => void): void {
    for (const listener of [...listeners]) {
      try {
        tell(listener);
      } catch (cause) {
        this.#faults++;
        this.#options.onFault?.(cause);
      }
    }
  }
}

function added<L>(set: Set<L>, listener: L): () => void {
  set.add(listener);
  return () => set.delete(listener);
}
