/**
 * The start of a hub with many servers, fresh and after it was killed: it serves at once, and does not wait for servers
 * that nobody has asked for. Row 26 of the scorecard.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { ledgerIn, ledgerServer } from "../support/stub-servers.ts";

const SERVERS = 50;
const STARTS = sized(1, 10);
/** The short form runs where others work too. */
const READY_MS = sized(60_000, 2_000);
const READY_AGAIN_MS = sized(60_000, 3_000);

describe(`a hub with ${SERVERS} servers`, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-cold-start-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const names = Array.from({ length: SERVERS }, (_, n) => `s${n}`);
  const config = {
    mcpServers: Object.fromEntries(names.map((name) => [name, ledgerServer(ledgerIn(folder, name))])),
    log: { level: "error" },
  };

  it("is ready soon, also after it was killed", async () => {
    const fresh: number[] = [];
    const again: number[] = [];
    const whole: number[] = [];
    for (let start = 0; start < STARTS; start++) {
      const home = mkdtempSync(join(folder, "home-"));
      const first = await measuredStart(home, fresh);
      whole.push(await untilWhole(first));
      await first.kill();
      await (await measuredStart(home, again)).stop();
    }
    figure(26, "ready, fresh", seconds(fresh));
    figure(26, "ready, after kill -9", seconds(again));
    figure(26, "all tools of all servers listed", seconds(whole));
    assert.ok(Math.max(...fresh) < READY_MS, `${fresh}`);
    assert.ok(Math.max(...again) < READY_AGAIN_MS, `${again}`);
  });

  /** Until it has answered a call. */
  async function measuredStart(home: string, times: number[]): Promise<SpawnedZaguan> {
    const startedAt = performance.now();
    const hub = await spawnZaguan({ folder: home, config });
    const client = new RpcOverHttp(hub.url, 1);
    const { reply } = await client.call("list_lights_on");
    times.push(performance.now() - startedAt);
    assert.ok(reply.result, JSON.stringify(reply));
    assert.equal((await client.get("/health")).status, 200);
    await client.close();
    return hub;
  }

  /** From now until the first list, which waits for every server, has come. */
  async function untilWhole({ url }: SpawnedZaguan): Promise<number> {
    const startedAt = performance.now();
    const client = new RpcOverHttp(url, 1);
    const { reply } = await client.rpc({ id: 1, method: "tools/list" });
    const tools = (reply.result?.["tools"] ?? []) as readonly { readonly name: string }[];
    // Whoever comes first has its names without a prefix.
    assert.equal(tools.filter(({ name }) => name.endsWith("whoami")).length, SERVERS);
    await client.close();
    return performance.now() - startedAt;
  }
});

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

function seconds(values: readonly number[]): string {
  return `median ${(median(values) / 1_000).toFixed(2)} s, most ${(Math.max(...values) / 1_000).toFixed(2)} s of ${values.length}`;
}
