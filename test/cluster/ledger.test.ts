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
import { pause, sharedNow } from "../support/cluster/clock.ts";
import { DeathWatch } from "../support/cluster/death-watch.ts";
import { LifeLedger } from "../support/cluster/life-ledger.ts";
import { Caller, Load } from "../support/cluster/load.ts";
import { faultsIn, judge, type MadeCall } from "../support/cluster/verdict.ts";
import { ClusterWorld, eventually, NODES } from "../support/cluster/world.ts";
import { Writes } from "../support/cluster/writes.ts";
import { NO_NATS } from "../support/nats.ts";
import { NO_POSTGRES } from "../support/postgres.ts";
import { sized } from "../support/scorecard.ts";
import { Random } from "../support/seed.ts";

const ROUNDS = sized(1, 5);
const STILL_MS = 15_000;
/** From the fault until each of its sources works elsewhere. */
const TAKEOVER_MS = sized(15_000, 12_000);
/** From when a death is known until whoever waited for the dead is told. */
const TOLD_MS = sized(2_500, 1_000);
const CALL_SECONDS = 25;
/** Calls that are under way at a source when its node dies. */
const UNDER_WAY = 3;
const UNDER_WAY_MS = 4_000;

interface Figures {
  readonly fault: string;
  readonly sources: number;
  readonly takeoverMs: number;
  readonly unknown: number;
  readonly toldMs: number;
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

describe("three nodes under faults", { skip: NO_POSTGRES || NO_NATS, timeout: sized(240_000, 1_500_000) }, () => {
  const dice = new Random();
  const figures: Figures[] = [];
  const made: (readonly MadeCall[])[] = [];
  let world: ClusterWorld;
  let load: Load;
  let writes: Writes;
  let watch: DeathWatch;
  let probes = 0;

  before(async () => {
    world = await ClusterWorld.open({ callSeconds: CALL_SECONDS, drainSeconds: 2, graceSeconds: 10 });
    watch = new DeathWatch(world);
    const { url } = world.balancer;
    load = new Load({ url, name: "load", sources: world.sources, clients: 16, pauseMs: 40, mostWorkMs: 1_500 });
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
      await deadly("kill -9", victim, () => world.kill(victim));
      await world.start(victim);
      await world.whole();
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
      const { since, held, probe } = await faulted(victim, async () => world.cut(victim, "database"));
      const takeoverMs = await takenOver(held, since);
      made.push(await probe.stop());
      figures.push({
        fault: "cut off from PostgreSQL",
        sources: held.length,
        takeoverMs,
        unknown: 0,
        toldMs: Number.NaN,
      });
      world.heal(victim, "database");
      await world.whole();
      assert.ok(takeoverMs <= TAKEOVER_MS, `taken over after ${takeoverMs} ms`);
    });

    it(`a NATS server that is killed${again}`, async () => {
      const server = dice.pick(world.nats);
      await server.kill();
      await world.whole();
      await pause(1_000);
      await server.restart();
      await world.whole();
    });

    it(`a PostgreSQL that is restarted${again}`, async () => {
      await world.postgres.stop();
      await pause(2_000);
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
    assert.deepEqual(faultsIn(verdict), []);
    assert.ok(verdict.fates.result > verdict.calls / 2, "most went well");
  });

  it("has every acknowledged write", async () => {
    await writes.check(world);
    assert.ok(writes.ledger.acknowledged > 0);
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
  async function faulted(victim: string, fault: () => Promise<void>) {
    const held = await world.heldBy(victim);
    const other = NODES.find((name) => name !== victim) as string;
    const { url } = world.client(other);
    const waiting = new Caller(url, `under-way-${++probes}`, UNDER_WAY * held.length);
    const underWay = held.flatMap((source) =>
      Array.from({ length: UNDER_WAY }, () => waiting.call(source, "work", { ms: UNDER_WAY_MS })),
    );
    await eventually("they are under way", async () => {
      const begun = new Set(world.ledgers().flatMap(({ executions }) => executions.map(({ tag }) => tag)));
      return waiting.calls.every(({ tag }) => begun.has(tag));
    });
    const since = sharedNow();
    await fault();
    const clients = 3 * held.length;
    const probe = new Load({ url, name: `probe-${probes}`, sources: held, clients, pauseMs: 50, mostWorkMs: 5 });
    return { since, held, other, probe, waiting, underWay };
  }

  /** A fault by which the others take the node for dead. */
  async function deadly(name: string, victim: string, fault: () => Promise<void>): Promise<void> {
    const { since, held, other, probe, waiting, underWay } = await faulted(victim, fault);
    const takeoverMs = await takenOver(held, since);
    const fates = await Promise.all(underWay);
    made.push(await probe.stop(), waiting.calls);
    await waiting.close();
    const knownAt = watch.knownAt(other, victim, since);
    assert.ok(knownAt !== undefined, `${other} took ${victim} for dead`);
    const unknown = fates.filter(({ fate }) => fate === "unknown");
    const toldMs = Math.max(...unknown.map(({ answeredAt = Number.NaN }) => answeredAt - knownAt));
    figures.push({ fault: name, sources: held.length, takeoverMs, unknown: unknown.length, toldMs });
    assert.equal(unknown.length, fates.length, `what was under way is unknown: ${JSON.stringify(fates)}`);
    assert.ok(toldMs <= TOLD_MS, `told ${toldMs} ms after the death was known`);
    assert.ok(takeoverMs <= TAKEOVER_MS, `taken over after ${takeoverMs} ms`);
  }

  /** How long it took until the last of these sources had run something in a process that was started since. */
  async function takenOver(sources: readonly string[], since: number): Promise<number> {
    const firstIn = (source: string): number | undefined => {
      const { lives, executions } = world.ledgers()[world.sources.indexOf(source)] as LifeLedger;
      const young = new Set(lives.filter(({ bornAt }) => bornAt > since).map(({ pid }) => pid));
      return executions.find(({ pid, at }) => at > since && young.has(pid))?.at;
    };
    await eventually("all are taken over", async () => sources.every((source) => firstIn(source) !== undefined));
    return Math.max(...sources.map((source) => (firstIn(source) as number) - since));
  }

  function report(verdict: ReturnType<typeof judge>): string[] {
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
      ...figures.map(
        ({ fault, sources, takeoverMs, unknown, toldMs }) =>
          `| ${fault} | ${sources} | ${(takeoverMs / 1_000).toFixed(1)} s | ${unknown} | ${toldMs.toFixed(0)} ms |`,
      ),
    ];
  }
});
