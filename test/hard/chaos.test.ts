/**
 * Calls while their server is killed again and again, or its connections are reset: none is lost, none runs twice, none
 * hangs, and what the hub says of each is true. Rows 2, 3 and 4 of the scorecard.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { LedgerSite } from "../support/ledger-site.ts";
import { isRunning } from "../support/processes.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { sized } from "../support/scorecard.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { AT_ONCE, assertAtMostOnce, assertRepeated, DEADLINE_SECONDS, type Storm, weather } from "../support/storm.ts";
import { ledgerIn, ledgerServer, readLedger } from "../support/stub-servers.ts";

const CALLS = sized(1_000, 10_000);
const KILL_EVERY_MS = sized(700, 2_000);
/** Seldom enough that one call, which is tried three times, is not met by three. */
const REMOTE_CALLS = sized(1_500, 10_000);
const RESET_EVERY_MS = sized(700, 2_000);
const WORK_MS = 60;
const harmless = (server: string) => (index: number) => `${server}__${index % 2 === 0 ? "put" : "echo"}`;

describe(`calls, ${AT_ONCE} in flight`, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-chaos-"));
  const files = { plain: ledgerIn(folder, "plain"), trusted: ledgerIn(folder, "trusted") };
  let site: LedgerSite;
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    site = await LedgerSite.open(WORK_MS);
    const trusted = { trusted: true };
    const remote = { allowPrivate: true };
    hub = await spawnZaguan({
      config: {
        mcpServers: {
          plain: ledgerServer(files.plain, WORK_MS),
          trusted: ledgerServer(files.trusted, WORK_MS, trusted),
          http: { url: site.urlOf("http"), zaguan: { ...remote, ...trusted } },
          ws: { url: site.urlOf("ws"), zaguan: { ...remote, ...trusted } },
        },
        limits: { callSeconds: DEADLINE_SECONDS },
        log: { level: "error" },
      },
    });
    client = new RpcOverHttp(hub.url, AT_ONCE);
    await client.rpc({ id: 0, method: "tools/list" });
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
    await site?.close();
    const everStarted = [...readLedger(files.plain), ...readLedger(files.trusted)].map(({ pid }) => pid);
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual([...new Set(everStarted)].filter(isRunning), [], "processes were left behind");
  });

  it("row 2: run at most once where they may not be repeated, while their server is killed", async () => {
    const storm = killing(2, files.plain, () => "plain__incr");
    assertAtMostOnce(storm, await weather(storm));
    await assertAlive();
  });

  it("row 3: are repeated where a trusted server calls them harmless, while it is killed", async () => {
    const storm = killing(3, files.trusted, harmless("trusted"));
    assertRepeated(storm, await weather(storm));
    await assertAlive();
  });

  for (const via of ["http", "ws"] as const) {
    it(`row 4: run at most once over ${via}, while connections are reset`, async () => {
      const storm = resetting(via, () => `${via}__incr`);
      assertAtMostOnce(storm, await weather(storm));
      await assertAlive();
    });

    it(`row 4: are repeated over ${via} where they are harmless, while connections are reset`, async () => {
      const storm = resetting(via, harmless(via));
      assertRepeated(storm, await weather(storm));
      await assertAlive();
    });
  }

  /** Whoever wrote the last line of the ledger is killed at intervals. */
  function killing(row: number, ledger: string, toolOf: Storm["toolOf"]): Storm {
    const killed = new Set<number>();
    const strike = (): boolean => {
      const entries = readLedger(ledger);
      const pid = entries.at(-1)?.pid;
      if (pid === undefined || killed.has(pid) || !isRunning(pid)) return false;
      // On a slow machine a life of so many milliseconds would be too short for those whose call an earlier kill met.
      if (entries.filter((entry) => entry.pid === pid).length < 2 * AT_ONCE) return false;
      process.kill(pid, "SIGKILL");
      killed.add(pid);
      return true;
    };
    const executed = () => readLedger(ledger).map(({ tag }) => tag);
    return { row, via: "stdio", client, calls: CALLS, toolOf, strike, everyMs: KILL_EVERY_MS, executed };
  }

  function resetting(via: "http" | "ws", toolOf: Storm["toolOf"]): Storm {
    const before = site.executed.length;
    let atLastStrike = before;
    const strike = (): boolean => {
      if (site.executed.length < atLastStrike + 2 * AT_ONCE) return false;
      atLastStrike = site.executed.length;
      site.reset();
      return true;
    };
    const executed = () => site.executed.slice(before);
    return { row: 4, via, client, calls: REMOTE_CALLS, toolOf, strike, everyMs: RESET_EVERY_MS, executed };
  }

  async function assertAlive(): Promise<void> {
    assert.equal((await client.get("/health")).status, 200);
    assert.ok(isRunning(hub.pid));
    const { reply } = await client.call("list_lights_on");
    assert.ok(reply.result, JSON.stringify(reply));
  }
});
