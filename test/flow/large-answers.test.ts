/** An answer that is larger than the limit ends its own call, with its size and the limit, and nothing else. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type LargeSite, openLargeSite } from "../support/large-site.ts";
import { peakMb, residentMb } from "../support/memory.ts";
import { until } from "../support/processes.ts";
import { RpcOverHttp, type RpcReply } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { evilServer, readPids } from "../support/stub-servers.ts";

const LIMIT = 10_485_760;
const TOO_MUCH = 12_000_000;
const REMOTE = {
  json: { type: "http" },
  events: { type: "http" },
  sse: { type: "sse" },
  socket: { type: "websocket" },
};

describe("an answer that is too large", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-large-"));
  const starts = join(folder, "starts.txt");
  let site: LargeSite;
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    site = await openLargeSite();
    const servers = Object.entries(REMOTE).map(([name, { type }]) => {
      return [name, { type, url: `${site.url}/${name}`, zaguan: { allowPrivate: true } }];
    });
    const mcpServers = { stdio: evilServer("large-answers", starts), ...Object.fromEntries(servers) };
    hub = await spawnZaguan({ config: { mcpServers } });
    client = new RpcOverHttp(hub.url);
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const idLast of [false, true]) {
    it(`of a stdio server harms no other call, its id ${idLast ? "last" : "first"}`, async () => {
      assert.equal(await answerOf({ bytes: 1 }), "x");
      const [before, memory] = [readPids(starts), residentMb(hub.pid)];
      const others = Array.from({ length: 5 }, () => answerOf({ bytes: 4, ms: 500 }));
      assertTooLarge((await client.call("stdio__act", { bytes: TOO_MUCH, idLast })).reply, "executed");
      assert.deepEqual(
        await Promise.all(others),
        Array.from({ length: 5 }, () => "xxxx"),
      );
      assert.deepEqual(readPids(starts), before, "it lives on");
      assert.ok(peakMb(hub.pid) < memory + 150, `${memory} MB became ${peakMb(hub.pid)} MB`);
    });
  }

  for (const first of ["notification", "question"]) {
    it(`is not needed for a ${first} to be dropped with a line in the log`, async () => {
      assertTooLarge((await client.call("stdio__act", { bytes: TOO_MUCH, first })).reply, "executed");
      const line = first === "question" ? /its request of 120/ : /its notification of 120/;
      await until("the log has the line", () => line.test(hub.stderr() + hub.stdout()));
    });
  }

  for (const name of Object.keys(REMOTE)) {
    it(`of a server by URL (${name}) leaves its connection as it is`, async () => {
      assert.equal((await client.call(`${name}__act`, { bytes: 1 })).reply.result?.content?.[0]?.text, "x");
      const before = site.opened();
      const large = await client.call(`${name}__act`, { bytes: TOO_MUCH });
      assertTooLarge(large.reply, name === "json" ? "unknown" : "executed");
      assert.equal((await client.call(`${name}__act`, { bytes: 2 })).reply.result?.content?.[0]?.text, "xx");
      assert.equal(site.opened(), before);
    });
  }

  async function answerOf(args: object): Promise<string | undefined> {
    return (await client.call("stdio__act", args)).reply.result?.content?.[0]?.text;
  }
});

function assertTooLarge({ error }: RpcReply, delivery: string): void {
  assert.deepEqual([error?.data?.["code"], error?.data?.["delivery"]], ["ANSWER_TOO_LARGE", delivery]);
  assert.match(String(error?.message), new RegExp(`120000\\d\\d bytes; the limit is ${LIMIT}`));
}
