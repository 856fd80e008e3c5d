/**
 * A simulated machine with one process of the hub: its clock, its children, its undertaker, the queues of its sources. The
 * process can be killed, stopped and continued; children and undertaker run on by themselves, as they do on a real machine.
 */
import { type ClusterEffect, ClusterNode, type Parts } from "../../src/cluster/cluster-node.ts";
import type { Outcome } from "../../src/cluster/messages.ts";
import type { Peer } from "../../src/cluster/peer.ts";
import type { KeyIndex } from "../../src/cluster/shares.ts";
import { type CallPlan, type Ledger, type Life, resultOf } from "./ledger.ts";
import { SkewedClock, type World } from "./world.ts";

/** What a machine needs of the rest of the simulation. */
export interface Surroundings {
  readonly world: World;
  readonly ledger: Ledger;
  readonly index: KeyIndex;
  readonly parts: Partial<Parts>;
  readonly hasUndertaker: boolean;
  nextBoot(): string;
  /** Effects that leave the machine: messages, statements, and what clients are told. */
  outside(node: SimNode, effect: ClusterEffect): void;
  /** Called before each effect: true where the process is stopped at this very moment. */
  interrupts(node: SimNode, effect: ClusterEffect): boolean;
  /** Whether a device has a socket here; the machine's own keys have children instead. */
  hasSocket(node: SimNode, key: string): boolean | undefined;
  closeSocket(node: SimNode, key: string): void;
}

interface Job {
  readonly ref: number;
  readonly key: string;
  readonly epoch: number;
  readonly plan: CallPlan;
  state: "waiting" | "slot" | "running";
  onAnswer: ((question: number, text: string | undefined) => void) | undefined;
}

const TICK_MS = 50;
const CONCURRENCY = 2;
const QUEUE = 100;
const DRIFT = 0.01;

export class SimNode implements Peer {
  readonly node: string;
  boot = "";
  cluster!: ClusterNode;
  isUp = false;
  isPaused = false;
  isLeaving = false;
  resumedAt = 0;
  readonly children = new Map<string, Life>();
  readonly #around: Surroundings;
  readonly #world: World;
  #clock: SkewedClock;
  /** What the process will see when it runs again. */
  #waiting: (() => void)[] = [];
  #timer: (() => void) | undefined;
  #unfinished: ClusterEffect[] = [];
  #deadlines = new Map<string, { readonly epoch: number; readonly at: number }>();
  #jobs = new Map<number, Job>();

  constructor(node: string, around: Surroundings) {
    this.node = node;
    this.#around = around;
    this.#world = around.world;
    this.#clock = new SkewedClock(around.world, DRIFT);
  }

  get peer(): Peer {
    return { node: this.node, boot: this.boot };
  }

  get local(): number {
    return this.#clock.now();
  }

  start(): void {
    this.boot = this.#around.nextBoot();
    this.#world.note(() => `${this.node} starts as ${this.boot}`);
    this.#clock = new SkewedClock(this.#world, DRIFT);
    const self = { node: this.node, boot: this.boot };
    this.cluster = new ClusterNode({ self, index: this.#around.index, parts: this.#around.parts });
    this.#waiting = [];
    this.#timer = undefined;
    this.#unfinished = [];
    this.#deadlines = new Map();
    this.#jobs = new Map();
    this.isUp = true;
    this.isPaused = this.isLeaving = false;
    this.#tickSoon(this.boot, this.#world.between(0, TICK_MS));
  }

  /** kill -9: the undertaker notices the end of its pipe and ends the children. */
  crash(): void {
    if (!this.isUp) return;
    this.#world.note(() => `${this.node} dies`);
    this.isUp = this.isPaused = false;
    const children = [...this.children.values()];
    this.#world.after(this.#world.between(0, 100), () => {
      for (const life of children) this.#kill(life);
    });
    for (const record of this.#around.ledger.calls.values()) if (record.boot === this.boot) record.isOrphan = true;
  }

  pause(): void {
    if (!this.isUp || this.isPaused) return;
    this.#world.note(() => `${this.node} is stopped`);
    this.isPaused = true;
  }

  resume(): void {
    if (!this.isUp || !this.isPaused) return;
    this.#world.note(() => `${this.node} goes on`);
    this.isPaused = false;
    this.resumedAt = this.#world.now;
    this.#apply(this.#unfinished.splice(0));
    const [waiting, timer] = [this.#waiting.splice(0), this.#timer];
    this.#timer = undefined;
    // Whether timers or sockets are looked at first is anybody's guess.
    const isTimerFirst = this.#world.happens(0.5);
    if (isTimerFirst && timer) timer();
    for (const run of waiting) this.#inside(run);
    if (!isTimerFirst && timer) timer();
  }

  /** Something happens to the process; while it stands still, that waits. */
  step(event: (cluster: ClusterNode, now: number) => readonly ClusterEffect[]): void {
    const { boot } = this;
    this.#inside(() => {
      if (this.isUp && this.boot === boot) this.#apply(event(this.cluster, this.local));
    });
  }

  #inside(run: () => void): void {
    if (this.isPaused) this.#waiting.push(run);
    else run();
  }

  #tickSoon(boot: string, ms: number): void {
    const fire = (): void => {
      if (!this.isUp || this.boot !== boot) return;
      // A timer that fell due many times while the process stood still fires once.
      if (this.isPaused) this.#timer = fire;
      else {
        this.#tickSoon(boot, TICK_MS);
        this.#apply(this.cluster.tick(this.local, this.#jobs.size));
      }
    };
    this.#world.after(ms, fire);
  }

  #apply(effects: readonly ClusterEffect[]): void {
    for (const [index, effect] of effects.entries()) {
      if (!this.isUp) return;
      if (this.isPaused || this.#around.interrupts(this, effect)) {
        this.#unfinished.push(...effects.slice(index));
        return;
      }
      this.#do(effect);
    }
  }

  #do(effect: ClusterEffect): void {
    switch (effect.do) {
      case "deadline":
        this.#tellUndertaker(effect.key, effect.epoch, effect.at);
        return;
      case "begin":
        this.#spawn(effect.key, effect.epoch);
        return;
      case "stop":
        this.#stop(effect.key, effect.epoch);
        return;
      case "end":
        this.#end(effect.key, effect.epoch);
        return;
      case "enqueue":
        this.#enqueue(effect.ref, effect.offer.key, effect.offer.epoch, JSON.parse(effect.offer.body));
        return;
      case "leave":
      case "abort":
        this.#leave(effect.ref);
        return;
      case "execute":
        this.#execute(effect.ref);
        return;
      case "answer":
        this.#jobs.get(effect.ref)?.onAnswer?.(effect.question, effect.text);
        return;
      default:
        this.#around.outside(this, effect);
        return;
    }
  }

  #tellUndertaker(key: string, epoch: number, at: number): void {
    if (!this.#around.hasUndertaker) return;
    const deadline = { epoch, at };
    const deadlines = this.#deadlines;
    deadlines.set(key, deadline);
    this.#world.after(this.#clock.until(at) + this.#world.between(0, 100), () => {
      const life = this.children.get(key);
      if (deadlines.get(key) === deadline && life?.epoch === epoch) this.childDies(life);
    });
  }

  #spawn(key: string, epoch: number): void {
    this.#world.note(() => `${this.node} begins ${key} at ${epoch}`);
    const isSocket = this.#around.hasSocket(this, key);
    if (isSocket === false) {
      this.#stop(key, epoch);
      return;
    }
    const deadline = this.#deadlines.get(key);
    // The undertaker ends at once what is reported to it after its deadline.
    if (isSocket === undefined && deadline?.epoch === epoch && deadline.at <= this.local) return;
    const life: Life = isSocket
      ? { key, epoch, by: this.node, isAlive: true }
      : this.#around.ledger.begins(key, epoch, `${this.node}/${this.boot}`);
    this.children.set(key, life);
  }

  #stop(key: string, epoch: number): void {
    const life = this.children.get(key);
    this.#world.after(this.#world.between(20, 1_500), () => {
      if (life?.epoch === epoch) this.#kill(life);
      this.step((cluster, now) => cluster.stopped(key, epoch, now));
    });
  }

  #end(key: string, epoch: number): void {
    const life = this.children.get(key);
    if (life?.epoch === epoch) this.#kill(life);
  }

  /** A child ends by itself or by the undertaker. The process notices, and starts another while it may. */
  childDies(life: Life): void {
    const jobs = [...this.#jobs.values()].filter(({ key, state }) => key === life.key && state === "running");
    this.#kill(life);
    for (const { ref } of jobs) this.#fails(ref);
    this.step((cluster, now) => {
      if (cluster.isLive(life.key, life.epoch, now) && !this.children.has(life.key)) this.#spawn(life.key, life.epoch);
      return [];
    });
  }

  #kill(life: Life): void {
    if (!life.isAlive) return;
    life.isAlive = false;
    this.#world.note(() => `${this.node} ended ${life.key} at ${life.epoch}`);
    if (this.children.get(life.key) === life) this.children.delete(life.key);
    if (this.#around.hasSocket(this, life.key) === true) this.#around.closeSocket(this, life.key);
  }

  #enqueue(ref: number, key: string, epoch: number, plan: CallPlan): void {
    const waiting = [...this.#jobs.values()].filter((job) => job.key === key);
    if (waiting.length >= QUEUE) {
      const full: Outcome = { kind: "error", code: "NO_CAPACITY", delivery: "not_sent" };
      this.#world.after(0, () => this.step((cluster, now) => cluster.refused(ref, full, now)));
      return;
    }
    this.#jobs.set(ref, { ref, key, epoch, plan, state: "waiting", onAnswer: undefined });
    this.#serve(key);
  }

  #leave(ref: number): void {
    const job = this.#jobs.get(ref);
    if (job && this.#jobs.delete(ref)) this.#serve(job.key);
  }

  #serve(key: string): void {
    const jobs = [...this.#jobs.values()].filter((job) => job.key === key);
    const next = jobs.find(({ state }) => state === "waiting");
    if (!next || jobs.filter(({ state }) => state !== "waiting").length >= CONCURRENCY) return;
    next.state = "slot";
    this.#world.after(0, () => this.step((cluster, now) => cluster.turn(next.ref, now)));
    this.#serve(key);
  }

  /** Writes the call to the child's pipe. A dead child reads nothing. */
  #execute(ref: number): void {
    const job = this.#jobs.get(ref);
    if (!job) return;
    job.state = "running";
    const life = this.children.get(job.key);
    if (!life?.isAlive || this.#around.hasSocket(this, job.key) === false) {
      this.#world.after(0, () => this.#fails(ref));
      return;
    }
    this.#world.note(() => `${this.node} executes ${job.plan.call} at ${job.key}/${life.epoch}`);
    this.#around.ledger.executes(job.plan, job.key, job.epoch, life.epoch);
    this.#run(job, life);
  }

  /** The pipe is broken; nobody knows what of it was read. */
  #fails(ref: number): void {
    const lost: Outcome = { kind: "error", code: "OUTCOME_UNKNOWN", delivery: "unknown" };
    this.step((cluster, now) => {
      this.#leave(ref);
      return cluster.finished(ref, lost, now);
    });
  }

  /** The child's work: notes, questions one after the other, then its answer. */
  #run(job: Job, life: Life): void {
    const { ref, plan } = job;
    const { boot } = this;
    const inLife = (ms: number, run: () => void): void =>
      this.#world.after(ms, () => {
        if (life.isAlive && this.boot === boot) this.#inside(() => (this.#jobs.get(ref) === job ? run() : undefined));
      });
    for (let note = 0; note < plan.notes; note++)
      inLife((plan.runMs * note) / plan.notes, () =>
        this.step((cluster, now) => cluster.note(ref, note % 2 ? "log" : "progress", plan.call, now)),
      );
    const finish = (): void => {
      this.#leave(ref);
      this.step((cluster, now) => cluster.finished(ref, { kind: "result", text: resultOf(plan) }, now));
    };
    const askNext = (left: number): void => {
      if (left === 0) {
        finish();
        return;
      }
      let asked = 0;
      const onAnswer: Job["onAnswer"] = (question, text) => {
        if (question !== asked) this.#around.ledger.fail(`${plan.call} got an answer to another question`);
        if (text !== undefined && text !== `answer to ${plan.call} ${left}`)
          this.#around.ledger.fail(`${plan.call} got another's answer: ${text}`);
        askNext(left - 1);
      };
      job.onAnswer = onAnswer;
      this.step((cluster, now) => {
        const { question, effects } = cluster.ask(ref, `${plan.call} ${left}`, now);
        asked = question;
        return effects;
      });
      if (plan.regretMs === undefined) return;
      inLife(plan.regretMs, () => {
        if (job.onAnswer !== onAnswer) return;
        this.step((cluster, now) => cluster.withdraw(ref, asked, now));
        askNext(left - 1);
      });
    };
    inLife(plan.runMs, () => askNext(plan.questions));
  }
}
