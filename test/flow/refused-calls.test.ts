/**
 * A limited key calls tools that are not there and tools that it may not use, at a real hub: neither its answers nor
 * anything that is kept of the calls (`/calls`, `/metrics`) tells one from the other.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { untilListed } from "../support/seed-002.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const SERVER = fileURLToPath(new URL("../support/ledger-server.mjs", import.meta.url));
const HIDDEN = ["incr", "ledger__incr"];
const MADE_UP = ["nope", "ledger__nope", "ghost__incr"];

let hub: SpawnedZaguan;
let local: RegistryClient;
let limited: RegistryClient;
before(async () => {
  hub = await spawnZaguan({
    config: { mcpServers: { ledger: { command: process.execPath, args: [SERVER, "/dev/null"] } } },
  });
  local = new RegistryClient(hub.url);
  await untilListed(local, "incr");
  const { key } = await local.done("POST", "/keys", { name: "limited", allow: ["none"] });
  limited = local.withKey(key);
});
after(() => hub?.stop());

/** Without what differs from call to call: its number, its times, and the name that its caller wrote. */
function alike(row: Message, tool: string): string {
  const { id: _, startedUtc: __, ms: ___, tool: named, ...rest } = row;
  assert.equal(named, tool);
  return JSON.stringify(rest);
}

describe("a refused call", () => {
  it("is answered and recorded alike whether its tool exists or not", async () => {
    const answers = new Set<string>();
    const records = new Set<string>();
    for (const tool of [...HIDDEN, ...MADE_UP]) {
      const { status, text } = await limited.call("/mcp", tool, { tag: "x" });
      answers.add(`${status} ${text.replaceAll(tool, "TOOL")}`);
      for (const looker of [limited, local]) {
        const [row] = (await looker.get("/calls?search=UNKNOWN_TOOL")).body;
        records.add(alike(row, tool));
        const detail = (await looker.get(`/calls/${row.id}`)).body;
        assert.deepEqual(detail.args, { tag: "x" });
        assert.deepEqual(detail.steps, []);
      }
    }
    assert.equal(answers.size, 1, [...answers].join("\n"));
    assert.equal(records.size, 1, [...records].join("\n"));
    assert.match([...records].join(), /"source":"".*"outcome":"UNKNOWN_TOOL"/);
  });

  it("is counted under one label, whatever name was made up", async () => {
    const { text } = await local.get("/metrics");
    const counted = text.split("\n").filter((line) => /^zaguan_calls_total.*UNKNOWN_TOOL/.test(line));
    const all = HIDDEN.length + MADE_UP.length;
    assert.deepEqual(counted, [`zaguan_calls_total{source="",outcome="UNKNOWN_TOOL"} ${all}`]);
  });
});
