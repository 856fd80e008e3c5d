/**
 * Three nodes behind a round-robin balancer while nodes are killed, stand still and are cut off, a NATS server dies and PostgreSQL
 * is restarted. The sources keep the ledger themselves: what ran, and which of their processes were alive when. Nothing runs twice,
 * no source has two owners at work, what was told as not sent did not run, and no acknowledged write is lost.
 *
 * `ZAGUAN_SCORECARD=document` goes through all faults several times, and holds the times to the letter; the short form runs where
 * others work too.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { NO_BALANCER } from "../support/cluster/balancer.ts";
import { pause, sharedNow } from "../support/cluster/clock.ts";
import { DeathWatch } from "../support/cluster/death-watch.ts";
import { LifeLedger } from "../support/cluster/life-ledger.ts";
import { Caller, Load } from "../support/cluster/load.ts";
import { faultsIn, judge, type MadeCall } from "../support/cluster/verdict.ts";
import { ClusterWorld, eventually, NODES } from "../support/cluster/world.ts";
import { Writes } from "../support/cluster/writes.ts";
import { NO_NATS } from "../support/nats.ts";
import { NO_POSTGRES } from "../support/postgres.ts";
import { figure, sized } from "../support/scorecard.ts";
import { Random } from "../support/seed.ts";

const ROUNDS = sized(1, 2, 5);
const STILL_MS = 15_000;
/** From the fault until each of its sources works elsewhere. */
const TAKEOVER_MS = sized(30_000, 12_000);
/** From when a death is known until whoever waited for the dead is told. */
const TOLD_MS = sized(10_000, 1_000);
const CALL_SECONDS = 25;
/** Calls that are under way at a source when its node dies. */
const UNDER_WAY = 3;
const UNDER_WAY_MS = 4_000;
const CONNECTIONS = 64;

/** How long a node does not reach NATS, NATS is given to be missed, and PostgreSQL is away. */
const UNREACHED_MS = 4_000;
const NOTICED_MS = 1_500;
const AWAY_MS = 3_000;

/** Of the scorecard. */
const ROW = 25;

type Verdict = ReturnType<typeof judge>;

interface Fault {
  readonly victim: string;
  /** Through which the calls came that were under way. */
  readonly other: string;
  /** What the victim held. */
  readonly held: readonly string[];
  readonly since: number;
  /** Ends the calls of this fault; resolves with those that were under way. */
  over(): Promise<readonly MadeCall[]>;
}

interface Figures {
  readonly fault: string;
  readonly sources: number;
  readonly takeoverMs?: number;
  readonly unknown?: number;
  readonly toldMs?: number;
}

describe("the judge of the ledger", () => {
  const call = (tag: string, fate: MadeCall["fate"], answeredAt: number | undefined = 2): MadeCall => {
    return { tag, source: "s", sentAt: 1, ...(fate && { fate }), ...(answeredAt !== undefined && { answeredAt }) };
  };
  const ledger = (...lines: readonly string[]) => [new LifeLedger("s").take(...lines)];

  it("finds nothing wrong with calls that ran once, or not at all and said so", () => {
    const lines = ["born 7 1000 1", "begun 7 2000 a", "alive 7 3000", "born 8 4000 2", "begun 8 5000 b"];
    const verdict = judge([call("a", "result"), call("b", "unknown"), call("c", "not_sent")], ledger(...lines));
    assert.deepEqual(faultsIn(verdict), []);
    assert.deepEqual([verdict.calls, verdict.executions, verdict.processes], [3, 2, 2]);
  });

  it("finds what ran twice, what ran though it was told as not sent, and what has a result and did not run", () => {
    const lines = ["born 7 1000 1", "begun 7 2000 a", "begun 7 2000 b", "born 8 4000 2", "begun 8 5000 a"];
    const made = [call("a", "result"), call("b", "not_sent"), call("c", "result")];
    const { twice, notSentButRan, resultWithoutRun } = judge(made, ledger(...lines));
    assert.deepEqual([twice, notSentButRan, resultWithoutRun], [["a"], ["b"], ["c"]]);
  });

  it("finds calls without an answer, and answers without a call", () => {
    const made = { tag: "a", source: "s", sentAt: 1 };
    const verdict = judge([made], ledger("born 7 1000 1", "begun 7 2000 ghost"));
    assert.deepEqual([verdict.unanswered, verdict.uncalled], [["a"], ["ghost"]]);
  });

  it("finds two processes of two hubs that lived at the same time, and not two of one", () => {
    const lines = ["born 7 1000 1", "born 8 2000 2", "alive 7 2500"];
    assert.equal(judge([], ledger(...lines)).twoOwners.length, 1);
    assert.deepEqual(judge([], ledger("born 7 1000 1", "born 8 2000 1", "alive 7 2500")).twoOwners, []);
  });
});

describe("three nodes under faults", {
  skip: NO_POSTGRES || NO_NATS || NO_BALANCER,
  timeout: sized(240_000, 1_500_000),
}, () => {
  const dice = new Random();
  const figures: Figures[] = [];
  const made: (readonly MadeCall[])[] = [];
  let world: ClusterWorld;
  let load: Load;
  let writes: Writes;
  let watch: DeathWatch;
  /** For whoever looks for the cause of something that must not be. */
  const notes: string[] = [];
  let faults = 0;

  before(async () => {
    world = await ClusterWorld.open({ callSeconds: CALL_SECONDS, drainSeconds: 2, graceSeconds: 10 });
    watch = new DeathWatch(world);
    const { url } = world.balancer;
    load = new Load({ url, name: "load", sources: world.sources, clients: 24, pauseMs: 40, mostWorkMs: 1_500 });
    writes = new Writes(url);
    await eventually("calls go through", async () => load.calls.some(({ fate }) => fate === "result"));
  });
  after(async () => {
    await watch?.stop();
    await world?.close();
  });

  for (let round = 1; round <= ROUNDS; round++) {
    const again = ROUNDS === 1 ? "" : `, round ${round}`;

    it(`a node that is killed${again}`, async () => {
      const victim = await holder();
      try {
        await deadly("kill -9", victim, () => world.kill(victim));
      } finally {
        await world.start(victim);
        await world.whole();
      }
    });

    it(`a node that stands still for ${STILL_MS / 1_000} s${again}`, async () => {
      const victim = await holder();
      const { pid } = world.hub(victim);
      const goesOnAt = sharedNow() + STILL_MS;
      try {
        await deadly("SIGSTOP", victim, async () => void process.kill(pid, "SIGSTOP"));
        await pause(goesOnAt - sharedNow());
      } finally {
        process.kill(pid, "SIGCONT");
      }
      await world.whole();
    });

    it(`a node that reaches neither NATS nor PostgreSQL${again}`, async () => {
      const victim = await holder();
      await deadly("cut off", victim, async () => world.cut(victim, "nats", "database"));
      world.heal(victim, "nats", "database");
      await world.whole();
    });

    it(`a node that does not reach PostgreSQL${again}`, async () => {
      const victim = await holder();
      const fault = await faulted(victim, async () => world.cut(victim, "database"));
      const takeoverMs = await takenOver(fault);
      const underWay = await fault.over();
      world.heal(victim, "database");
      await world.whole();
      figures.push({ fault: "cut off from PostgreSQL", sources: fault.held.length, takeoverMs });
      // It lives and answers what it had begun, unless its lease ends first.
      for (const { fate } of underWay) assert.ok(fate === "result" || fate === "unknown", fate);
      assert.ok(takeoverMs <= TAKEOVER_MS, `taken over after ${takeoverMs} ms`);
    });

    it(`a node that does not reach NATS${again}`, async () => {
      const victim = await holder();
      const fault = await faulted(victim, async () => world.cut(victim, "nats"));
      await pause(UNREACHED_MS);
      world.heal(victim, "nats");
      await world.whole();
      const underWay = await fault.over();
      figures.push({ fault: "cut off from NATS", sources: fault.held.length, ...toldOf(fault, underWay) });
    });

    it(`each NATS server killed in turn${again}`, async () => {
      for (const server of world.nats) {
        await server.kill();
        // Whoever was connected there has noticed, and is connected elsewhere.
        await pause(NOTICED_MS);
        await world.whole();
        await server.restart();
      }
    });

    it(`a PostgreSQL that is restarted${again}`, async () => {
      await world.postgres.stop();
      await pause(AWAY_MS);
      await world.postgres.start();
      await world.whole();
    });
  }

  it("leaves every call answered with the truth, and every source with one owner at a time", async (t) => {
    made.push(await load.stop());
    await writes.stop();
    const calls = made.flat();
    const verdict = judge(calls, world.ledgers());
    for (const line of report(verdict)) t.diagnostic(line);
    tellFigures(verdict);
    assert.deepEqual(faultsIn(verdict), [], notes.join("\n"));
    assert.ok(verdict.fates.result > verdict.calls / 2, "most went well");
  });

  it("has every acknowledged write", async () => {
    await writes.check(world);
    const { acknowledged } = writes.ledger;
    figure(ROW, "acknowledged writes lost", `0 of ${acknowledged}`);
    assert.ok(acknowledged > 0);
  });

  /** A node that holds something, not always the same. */
  async function holder(): Promise<string> {
    let found: string | undefined;
    const inTurn = [...NODES].sort(() => dice.fraction() - 0.5);
    await eventually("somebody holds something", async () => {
      for (const name of inTurn) if ((await world.heldBy(name)).length > 0) found ??= name;
      return found !== undefined;
    });
    return found as string;
  }

  /** The fault, with calls of another node under way at what the victim holds, and others that come all the time. */
  async function faulted(victim: string, fault: () => Promise<void>): Promise<Fault> {
    const other = NODES.find((name) => name !== victim) as string;
    const { url } = world.client(other);
    const waiting = new Caller(url, `under-way-${++faults}`, CONNECTIONS);
    const underWay: Promise<MadeCall>[] = [];
    let held: readonly string[] = [];
    // What is handed over in this very moment runs at another node: then it is tried again.
    await eventually("something of it is under way", async () => {
      held = await begin(victim, waiting, underWay);
      return held.length > 0;
    });
    const since = sharedNow();
    notes.push(`at ${since.toFixed(0)} ${victim} (hub ${world.hub(victim).pid}) held ${held.join(", ")}`);
    await fault();
    const clients = 3 * held.length;
    const probe = new Load({ url, name: `probe-${faults}`, sources: held, clients, pauseMs: 50, mostWorkMs: 5 });
    const over = async (): Promise<readonly MadeCall[]> => {
      const [ended, probed] = await Promise.all([Promise.all(underWay), probe.stop()]);
      await waiting.close();
      made.push(ended, probed);
      return ended;
    };
    return { victim, other, held, since, over };
  }

  /** Calls what the node holds; resolves, when all of it is under way, with those sources that it really ran at. */
  async function begin(victim: string, waiting: Caller, underWay: Promise<MadeCall>[]): Promise<readonly string[]> {
    const sources = await world.heldBy(victim);
    const before = waiting.calls.length;
    for (const source of sources)
      for (let count = 0; count < UNDER_WAY; count++) underWay.push(waiting.call(source, "work", { ms: UNDER_WAY_MS }));
    const tags = waiting.calls.slice(before).map(({ tag }) => tag);
    const begun = () => world.ledgers().flatMap(({ executions }) => executions.filter(({ tag }) => tags.includes(tag)));
    await eventually("they are under way", async () => begun().length === tags.length);
    const { pid: hub } = world.hub(victim);
    const below = new Set(
      world.ledgers().flatMap(({ lives }) => lives.flatMap(({ parent, pid }) => (parent === hub ? pid : []))),
    );
    const ended = new Set(waiting.calls.flatMap(({ tag, fate }) => (fate ? tag : [])));
    const here = begun().filter(({ pid, tag }) => below.has(pid) && !ended.has(tag));
    return sources.filter((name) => here.filter(({ source }) => source === name).length === UNDER_WAY);
  }

  /** A fault by which the others take the node for dead. */
  async function deadly(name: string, victim: string, happen: () => Promise<void>): Promise<void> {
    const fault = await faulted(victim, happen);
    const takeoverMs = await takenOver(fault);
    const underWay = await fault.over();
    const { unknown, toldMs } = toldOf(fault, underWay);
    figures.push({ fault: name, sources: fault.held.length, takeoverMs, unknown, toldMs });
    const ofHeld = underWay.filter(({ source }) => fault.held.includes(source)).slice(-UNDER_WAY * fault.held.length);
    assert.ok(
      ofHeld.every(({ fate }) => fate === "unknown"),
      JSON.stringify(ofHeld),
    );
    assert.ok(toldMs <= TOLD_MS, `told ${toldMs} ms after the death was known`);
    assert.ok(takeoverMs <= TAKEOVER_MS, `taken over after ${takeoverMs} ms`);
  }

  /** Of the calls that waited for the dead: how many were told as unknown, and how long after its death was known to their node. */
  function toldOf({ victim, other, since }: Fault, underWay: readonly MadeCall[]): { unknown: number; toldMs: number } {
    const knownAt = (via: string): number => watch.knownAt(via, victim, since) ?? assert.fail(`${via} did not notice`);
    const ofLoad = load.calls.filter(({ fate, via, sentAt, answeredAt = 0 }) => {
      const isOfFault = fate === "unknown" && via !== undefined && via !== victim && answeredAt > since;
      return isOfFault && sentAt < knownAt(via);
    });
    const unknown = [...underWay.filter(({ fate }) => fate === "unknown"), ...ofLoad];
    const late = unknown.map(({ via = other, answeredAt = Number.NaN }) => answeredAt - knownAt(via));
    return { unknown: unknown.length, toldMs: Math.max(0, ...late) };
  }

  /** How long it took until the last of its sources had run something in a process that was started since. */
  async function takenOver({ held, since }: Fault): Promise<number> {
    const firstIn = (source: string): number | undefined => {
      const { lives, executions } = world.ledgers()[world.sources.indexOf(source)] as LifeLedger;
      const young = new Set(lives.filter(({ bornAt }) => bornAt > since).map(({ pid }) => pid));
      return executions.find(({ pid, at }) => at > since && young.has(pid))?.at;
    };
    await eventually("all are taken over", async () => held.every((source) => firstIn(source) !== undefined));
    return Math.max(...held.map((source) => (firstIn(source) as number) - since));
  }

  function tellFigures({ calls, executions, twice, twoOwners, notSentButRan, unanswered }: Verdict): void {
    const most = (of: (fault: Figures) => number | undefined): number => Math.max(...figures.map((it) => of(it) ?? 0));
    figure(ROW, "executed twice", `${twice.length} of ${calls} calls, ${executions} executions`);
    figure(ROW, "moments with two owners at work", twoOwners.length);
    figure(ROW, "ran though told as not sent, without an answer", `${notSentButRan.length}, ${unanswered.length}`);
    figure(ROW, "taken over after at most", `${(most(({ takeoverMs }) => takeoverMs) / 1_000).toFixed(1)} s`);
    figure(ROW, "unknown, told after the death was known", `at most ${most(({ toldMs }) => toldMs).toFixed(0)} ms`);
  }

  function report(verdict: Verdict): string[] {
    const { fates, calls, executions, processes, twice, twoOwners, notSentButRan, unanswered } = verdict;
    const { acknowledged } = writes.ledger;
    return [
      `${world.balancer.program}; ${calls} calls, ${executions} executions in ${processes} processes`,
      `told: ${Object.entries(fates)
        .map(([fate, count]) => `${fate} ${count}`)
        .join(", ")}`,
      `executed twice ${twice.length}, two owners at work ${twoOwners.length}, ran though not sent ${notSentButRan.length}, without an answer ${unanswered.length}`,
      `writes acknowledged ${acknowledged}, not acknowledged ${writes.failed}`,
      "| fault | sources | taken over after | told as unknown | after the death was known |",
      ...figures.map(({ fault, sources, takeoverMs, unknown, toldMs }) => {
        const takeover = takeoverMs === undefined ? "–" : `${(takeoverMs / 1_000).toFixed(1)} s`;
        return `| ${fault} | ${sources} | ${takeover} | ${unknown ?? "–"} | ${toldMs?.toFixed(0) ?? "–"} ms |`;
      }),
    ];
  }
});
