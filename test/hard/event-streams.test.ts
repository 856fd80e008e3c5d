/** As many event streams as a door lets in, and more: the others are refused, and of all that vanish at once nothing is kept. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { settledMb } from "../support/memory.ts";
import { PrometheusText } from "../support/prometheus-text.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { makeKey } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { StreamCrowd, type StreamKind } from "../support/stream-crowd.ts";

const ROW = 9;
const IS_LONG = sized(0, 1) === 1;
const MOST = sized(50, 1_000);
const EXTRA = sized(10, 200);
const GONE_LIMIT_MS = 45_000;
const PATIENCE_MS = sized(0, 30_000);

for (const kind of ["subscriptions/listen", "HTTP+SSE", "session"] as const satisfies StreamKind[]) {
  describe(`${MOST} streams of ${kind} and ${EXTRA} more`, () => {
    let hub: SpawnedZaguan;
    let http: RpcOverHttp;
    let keys: readonly string[];

    before(async () => {
      hub = await spawnZaguan({ config: { limits: { sessions: MOST }, log: { level: "error" } } });
      http = new RpcOverHttp(hub.url, 1);
      keys = [await makeKey(hub, "ana"), await makeKey(hub, "ben")];
    });
    after(async () => {
      await http?.close();
      await hub?.stop();
    });

    it("take little room; those beyond the limit are refused, and when all have vanished none is left", async () => {
      await streams();
      const alone = await settledMb(hub.pid, PATIENCE_MS);
      const crowds = [new StreamCrowd(), new StreamCrowd()];
      // One alone may not have all places.
      const half = MOST / 2;
      const opened = await Promise.all(
        crowds.map((crowd, place) => crowd.open({ url: hub.url, kind, key: keys[place] ?? "", count: half })),
      );
      assert.deepEqual(opened, [
        { open: half, refused: {} },
        { open: half, refused: {} },
      ]);
      const extra = await (crowds[0] as StreamCrowd).open({ url: hub.url, kind, key: keys[0] ?? "", count: EXTRA });
      figure(ROW, `${kind}: refused of ${EXTRA} beyond the limit`, JSON.stringify(extra.refused));
      assert.deepEqual(extra, { open: 0, refused: { 503: EXTRA } });
      assert.equal(await streams(), MOST);
      const room = (await settledMb(hub.pid, PATIENCE_MS)) - alone;
      figure(ROW, `${kind}: memory of ${MOST}`, `${room} MB`);
      const killedAt = performance.now();
      await Promise.all(crowds.map((crowd) => crowd.kill()));
      while ((await streams()) > 0) {
        assert.ok(performance.now() - killedAt < GONE_LIMIT_MS, `${await streams()} are left`);
        await sleep(50);
      }
      figure(ROW, `${kind}: none left after`, `${Math.round(performance.now() - killedAt)} ms`);
      assert.equal((await http.get("/health")).status, 200);
      if (IS_LONG) assert.ok(room < 64, `${room} MB`);
    });

    async function streams(): Promise<number> {
      return new PrometheusText((await http.get("/metrics")).text).sum("zaguan_open", { what: "streams" });
    }
  });
}
