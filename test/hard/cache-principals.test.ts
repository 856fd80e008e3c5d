/** Kept answers and who may have them: nobody gets another's, nobody with a key that was revoked, and none that has been overtaken. */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { RegistryClient } from "../support/registry-client.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { makeKey } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const ROW = 17;
const IS_LONG = sized(0, 1) === 1;
const SERVER = fileURLToPath(new URL("../support/counting-server.mjs", import.meta.url));
const READS = sized(100, 2_000);
const SWAPS = sized(3, 50);
const CHANGES = sized(10, 100);
const STALE_LIMIT_MS = 30_000;

interface Counted {
  /** The how-manieth execution it was. */
  readonly asked: number;
  readonly value: number;
}

describe("kept answers", () => {
  let hub: SpawnedZaguan;
  let http: RpcOverHttp;
  let admin: RegistryClient;

  before(async () => {
    const zaguan = { trusted: true, cacheSeconds: { count: 3_600 } };
    const counting = { command: process.execPath, args: [SERVER], zaguan };
    hub = await spawnZaguan({
      config: { mcpServers: { counting }, auth: { requireKey: true }, log: { level: "error" } },
    });
    http = new RpcOverHttp(hub.url, 4);
    admin = new RegistryClient(hub.url).withKey(await makeKey(hub, "admin", "--admin"));
  });
  after(async () => {
    await http?.close();
    await hub?.stop();
  });

  it(`of ${READS} reads by two are each the reader's own`, async () => {
    const readers = [await newKey("alice"), await newKey("bob")];
    const seen = [new Set<number>(), new Set<number>()];
    for (let read = 0; read < READS; read++) seen[read % 2]?.add((await count(readers[read % 2] ?? "")).asked);
    const crossed = [...(seen[0] ?? [])].filter((asked) => seen[1]?.has(asked)).length;
    figure(ROW, "answers that went to another than was asked for", `${crossed} of ${READS} reads`);
    figure(ROW, "executions for two readers", seen.map(({ size }) => size).join(" + "));
    assert.equal(crossed, 0);
    assert.deepEqual(
      seen.map(({ size }) => size),
      [1, 1],
      "nothing was kept, so that nothing was tested",
    );
  });

  it("are refused with a key the moment it is revoked, and unknown to its successor of the same name", async () => {
    let accepted = 0;
    for (let swap = 0; swap < SWAPS; swap++) {
      const old = await newKey("carol");
      const { asked } = await count(old);
      assert.equal((await count(old)).asked, asked);
      await admin.done("DELETE", "/keys/carol");
      if ((await read(old)).status !== 401) accepted++;
      assert.notEqual((await count(await newKey("carol"))).asked, asked, "the successor got the predecessor's answer");
      await admin.done("DELETE", "/keys/carol");
    }
    figure(ROW, "reads accepted with a revoked key", `${accepted} of ${SWAPS}`);
    assert.equal(accepted, 0);
  });

  it(`are given up when their server changes, ${CHANGES} times`, async () => {
    const reader = await newKey("dora");
    const late: number[] = [];
    for (let change = 0; change < CHANGES; change++) {
      await count(reader);
      const { value } = textIn((await call(reader, "change")).text);
      const changedAt = performance.now();
      while ((await count(reader)).value !== value)
        assert.ok(performance.now() - changedAt < STALE_LIMIT_MS, "an old answer is still given");
      late.push(performance.now() - changedAt);
    }
    figure(
      ROW,
      "first fresh answer after a change, at the latest",
      `${Math.max(...late).toFixed(0)} ms (its own time included)`,
    );
    if (IS_LONG) assert.ok(Math.max(...late) <= 250, `${Math.max(...late)} ms`);
  });

  async function newKey(name: string): Promise<string> {
    return (await admin.done("POST", "/keys", { name })).key;
  }

  function call(key: string, tool: string) {
    const params = { name: `counting__${tool}`, arguments: {} };
    return http.rpc({ id: 1, method: "tools/call", params }, { authorization: `Bearer ${key}` });
  }

  function read(key: string) {
    return call(key, "count");
  }

  async function count(key: string): Promise<Counted> {
    return textIn((await read(key)).text);
  }
});

function textIn(answer: string): Counted {
  const { result } = JSON.parse(answer) as { result?: { content: { text: string }[] } };
  return JSON.parse(result?.content[0]?.text ?? assert.fail(answer)) as Counted;
}
