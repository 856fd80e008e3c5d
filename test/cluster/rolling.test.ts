/**
 * Three nodes behind a round-robin balancer that are stopped and started again one after another, as for a new version, while
 * clients call: no call fails, and each runs once. `ZAGUAN_SCORECARD=document` does it until 20,000 calls are made.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { NO_BALANCER } from "../support/cluster/balancer.ts";
import { Load } from "../support/cluster/load.ts";
import { faultsIn, judge } from "../support/cluster/verdict.ts";
import { ClusterWorld, NODES } from "../support/cluster/world.ts";
import { NO_NATS } from "../support/nats.ts";
import { NO_POSTGRES } from "../support/postgres.ts";
import { sized } from "../support/scorecard.ts";

const CALLS = sized(2_000, 20_000);

describe("a rolling restart", {
  skip: NO_POSTGRES || NO_NATS || NO_BALANCER,
  timeout: sized(240_000, 1_500_000),
}, () => {
  let world: ClusterWorld;
  before(async () => {
    world = await ClusterWorld.open({ drainSeconds: 3, graceSeconds: 10 });
  });
  after(() => world?.close());

  it(`fails none of ${CALLS} calls`, async (t) => {
    const { url } = world.balancer;
    const load = new Load({ url, name: "load", sources: world.sources, clients: 16, pauseMs: 20, mostWorkMs: 1_000 });
    let restarts = 0;
    do {
      for (const name of NODES) {
        await world.stop(name);
        await world.start(name);
        await world.whole();
        restarts++;
      }
    } while (load.calls.length < CALLS);
    const calls = await load.stop();
    const verdict = judge(calls, world.ledgers());
    const failed = calls.filter(({ fate }) => fate !== "result");
    t.diagnostic(`${world.balancer.program}; ${restarts} restarts, ${failed.length} failed of ${calls.length} calls`);
    assert.deepEqual(
      failed.slice(0, 10).map(({ tag, source, via, fate, said }) => `${tag} ${source} ${via} ${fate}: ${said}`),
      [],
    );
    assert.deepEqual(faultsIn(verdict), []);
  });
});
