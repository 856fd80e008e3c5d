/** The first scrape of `/metrics` of a real hub: figures of the process since it began, not since somebody first asked. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { PrometheusText } from "../support/prometheus-text.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

let hub: SpawnedZaguan;
let client: RegistryClient;
/** CPU seconds that the system counted before the first scrape, and after it. */
let before1: number | undefined;
let after1: number | undefined;
let first: PrometheusText;
let second: PrometheusText;
before(async () => {
  hub = await spawnZaguan();
  client = new RegistryClient(hub.url);
  // So much is thrown away for these that the collector must run.
  for (let call = 0; call < 300; call++) await client.textOf("/mcp", "get_all_states", {});
  before1 = cpuSeconds();
  first = await scrape();
  after1 = cpuSeconds();
  second = await scrape();
});
after(() => hub?.stop());

async function scrape(): Promise<PrometheusText> {
  return new PrometheusText((await client.get("/metrics")).text);
}

/** The 14th and 15th field of proc(5)'s stat, in ticks of 10 ms; the second may hold spaces. Linux alone has it. */
function cpuSeconds(): number | undefined {
  if (process.platform !== "linux") return undefined;
  const fields = readFileSync(`/proc/${hub.pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

describe("the first scrape", () => {
  it("tells all CPU time of the process, as the system counts it", (t) => {
    if (before1 === undefined || after1 === undefined) return t.skip("no /proc to compare with");
    const told = first.sum("process_cpu_seconds_total");
    t.diagnostic(`${before1} s before, ${told} s told, ${after1} s after`);
    // Each of the four figures is rounded to ticks.
    assert.ok(told >= before1 - 0.05 && told <= after1 + 0.05, `${before1} ≤ ${told} ≤ ${after1}`);
    const parts = first.sum("process_cpu_user_seconds_total") + first.sum("process_cpu_system_seconds_total");
    assert.ok(Math.abs(parts - told) < 0.001, `${parts}`);
  });

  it("tells of garbage collections since the start", () => {
    assert.ok(first.sum("nodejs_gc_duration_seconds_count") > 0);
  });

  for (const which of ["first", "second, right after it,"]) {
    it(`tells delays of the event loop that can be: ${which}`, () => {
      const told = which === "first" ? first : second;
      for (const kind of ["", "min_", "max_", "mean_", "stddev_", "p50_", "p90_", "p99_"]) {
        for (const { value } of told.all(`nodejs_eventloop_lag_${kind}seconds`)) {
          assert.ok(value >= 0 && value < 60, `${kind}: ${value}`);
        }
      }
      assert.ok(told.sum("nodejs_eventloop_lag_seconds") > 0);
    });
  }

  it("has measured the event loop, and not only begun to", () => {
    for (const kind of ["min", "max", "mean", "p99"]) {
      assert.ok(first.sum(`nodejs_eventloop_lag_${kind}_seconds`) > 0, kind);
    }
  });
});
