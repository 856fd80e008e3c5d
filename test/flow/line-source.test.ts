/**
 * Programs that speak seed 000 as sources of the real hub: a stand-in for the Python original, which warns before it is
 * ready and writes JSON as Python does, and our own `simulate --mcp` in its place. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../support/processes.ts";
import { RpcOverHttp, type RpcReply, serverShown } from "../support/rpc-over-http.ts";
import { houseWith, NOBODY, SIX_TOOLS } from "../support/seed-000.ts";
import { cleanEnvironment, type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";

const NAMES = SIX_TOOLS.map((tool) => tool.name);
const folder = mkdtempSync(join(tmpdir(), "zaguan-line-source-"));
const waits = join(folder, "waits.txt");
let hub: SpawnedZaguan;
let client: RpcOverHttp;

before(async () => {
  const mcpServers = {
    py: standIn(),
    second: standIn(),
    frail: standIn("--die-after", "1"),
    waiter: { type: "line", command: process.execPath, args: [support("line-waiter.mjs"), waits] },
    own: { type: "line", ...zaguanCommand("simulate", "--mcp") },
  };
  hub = await spawnZaguan({ config: { mcpServers, devices: { house: false } } });
  client = new RpcOverHttp(hub.url);
});

after(async () => {
  await client?.close();
  await hub?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("the catalogue", () => {
  let tools: readonly { readonly name: string; readonly [key: string]: unknown }[];
  before(async () => {
    tools = (await client.rpc({ id: 1, method: "tools/list" })).reply.result?.["tools"] as typeof tools;
  });

  it("has the stand-in's tools under their own names, in its order, in spite of its warning", () => {
    assert.deepEqual(
      tools.slice(0, 6).map((tool) => tool.name),
      NAMES,
    );
    assert.deepEqual(tools[3]?.["inputSchema"], {
      type: "object",
      properties: { name: { type: "string" }, on: { type: "boolean" } },
      required: ["name", "on"],
    });
    assert.equal(tools[3]?.["description"], "Herramienta set_light_state");
  });

  it("shows those that clash as `server__name`, and nothing of a house that is off", () => {
    const clashing = ["second", "frail", "own"].flatMap((server) => NAMES.map((name) => `${server}__${name}`));
    assert.deepEqual(tools.map((tool) => tool.name).sort(), [...NAMES, ...clashing, "who", "wait"].sort());
  });

  it("passes on the texts and schemas of our own simulator", () => {
    for (const tool of SIX_TOOLS) {
      const shown = tools.find(({ name }) => name === `own__${tool.name}`);
      assert.deepEqual(
        [shown?.["description"], shown?.["inputSchema"], shown?.["outputSchema"]],
        [tool.description, tool.input_schema, tool.output_schema],
      );
    }
  });
});

for (const server of ["py", "own"]) {
  describe(`the document's session through the hub (${server})`, () => {
    it("gives the same results, as text and as structure", async () => {
      assert.deepEqual(await result(`${server}__set_light_state`, { name: "salon", on: true }), { ok: true });
      assert.deepEqual(await result(`${server}__get_all_states`), houseWith("salon"));
      assert.deepEqual(await result(`${server}__list_lights_on`), { on: ["salon"] });
      assert.deepEqual(await result(`${server}__set_alarm_state`, { armed: true }), { ok: true });
      assert.deepEqual(await result(`${server}__get_alarm_status`), { armed: true });
      assert.deepEqual(await result(`${server}__get_presence`), NOBODY);
    });

    it("tells the program's errors as results with isError, in its words", async () => {
      const { reply, status } = await client.call(`${server}__set_light_state`, { name: "inexistente", on: true }, "e");
      assert.deepEqual([status, reply.id, reply.error], [200, "e", undefined]);
      assert.equal(reply.result?.isError, true);
      assert.deepEqual(reply.result?.content, [{ type: "text", text: "Luz 'inexistente' no encontrada" }]);
    });

    it("stops a call without its arguments before the program", async () => {
      const { reply, status } = await client.call(`${server}__set_light_state`, { name: "salon" });
      assert.deepEqual([status, reply.error?.code], [400, -32602]);
      assert.match(reply.error?.message ?? "", /'on'/);
    });

    it("keeps calls apart that are made at once", async () => {
      const ids = Array.from({ length: 50 }, (_, index) => index);
      const replies = await Promise.all(ids.map((id) => client.call(`${server}__${NAMES[id % 3]}`, {}, id)));
      const expected = [NOBODY, { armed: true }, { on: ["salon"] }];
      for (const [id, { reply }] of replies.entries()) {
        assert.deepEqual([reply.id, reply.result?.["structuredContent"]], [id, expected[id % 3]]);
      }
    });
  });
}

describe("two programs with the same tools", () => {
  it("are two houses: the plain name is the first's, the long names always work", async () => {
    await result("set_light_state", { name: "cocina", on: true });
    await result("second__set_light_state", { name: "garage", on: true });
    assert.deepEqual(await result("list_lights_on"), { on: ["salon", "cocina"] });
    assert.deepEqual(await result("py__list_lights_on"), { on: ["salon", "cocina"] });
    assert.deepEqual(await result("second__list_lights_on"), { on: ["garage"] });
  });

  it("leave an unknown name unknown", async () => {
    for (const name of ["abrir", "second__abrir", "house__get_presence"]) {
      const { reply, status } = await client.call(name);
      assert.deepEqual([status, reply.error?.code], [400, -32602], name);
    }
  });
});

describe("a program that ends", () => {
  it("by SIGKILL in the middle of a call: one error of unknown delivery, then a new program", async () => {
    const first = await result("who");
    const inFlight = client.call("wait", {}, "lost");
    await until("the call has arrived", () => arrivals().length === 1);
    process.kill(Number(arrivals()[0]), "SIGKILL");
    assertUnknown((await inFlight).reply, "lost");
    assert.notDeepEqual(await result("who"), first);
    assert.equal(arrivals().length, 1, "the lost call was not made again");
  });

  it("by itself in the middle of a call: the same", async () => {
    assert.deepEqual(await result("frail__set_alarm_state", { armed: true }), { ok: true });
    assertUnknown((await client.call("frail__set_alarm_state", { armed: true }, 7)).reply, 7);
    assert.deepEqual(await result("frail__get_alarm_status"), { armed: false }, "a new program has a new house");
  });

  for (const server of ["second", "own"]) {
    it(`by SIGKILL between calls: the next call finds a new program (${server})`, async () => {
      await result(`${server}__set_light_state`, { name: "bano", on: true });
      const { restarts } = await serverShown(client, server);
      for (const pid of programs(server === "own" ? "simulate" : "line-home.mjs")) process.kill(pid, "SIGKILL");
      await restartAfter(server, restarts);
      assert.deepEqual(await result(`${server}__list_lights_on`), { on: [] });
    });
  }
});

describe("a user's Python program", () => {
  it("cannot tell `simulate --mcp` from the original", { skip: !hasPython() && "no python3 here" }, () => {
    const { command, args } = zaguanCommand("simulate", "--mcp");
    const options = { cwd: folder, encoding: "utf8", env: cleanEnvironment({ PYTHONIOENCODING: "utf-8" }) } as const;
    const { status, stdout, stderr } = spawnSync("python3", [support("line-client.py"), command, ...args], options);
    assert.deepEqual([status, stdout, stderr], [0, "all answers as expected\n", ""]);
  });
});

/** What a call that succeeds gives; its text is the same as its structure. */
async function result(name: string, args: object = {}): Promise<unknown> {
  const { reply, status } = await client.call(name, args, name);
  assert.deepEqual([status, reply.id, reply.error], [200, name, undefined], JSON.stringify(reply));
  assert.ok(!reply.result?.isError, JSON.stringify(reply));
  assert.equal(reply.result?.content?.length, 1);
  const structured = reply.result?.["structuredContent"];
  assert.deepEqual(JSON.parse(reply.result?.content?.[0]?.text ?? ""), structured);
  return structured;
}

function restartAfter(server: string, restarts: number): Promise<void> {
  return until(`${server} is started again`, async () => (await serverShown(client, server)).restarts > restarts);
}

function assertUnknown(reply: RpcReply, id: unknown): void {
  assert.deepEqual([reply.id, reply.result], [id, undefined], JSON.stringify(reply));
  assert.equal(reply.error?.data?.["delivery"], "unknown", JSON.stringify(reply));
}

/** The process ids that a `wait` has reached. */
function arrivals(): string[] {
  return existsSync(waits) ? readFileSync(waits, "utf8").split("\n").filter(Boolean) : [];
}

/** The processes below the hub with this word in their command. */
function programs(word: string): number[] {
  return hub.descendants().filter((pid) => commandOf(pid).some((argument) => argument.endsWith(word)));
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function standIn(...switches: readonly string[]): object {
  return { type: "line", command: process.execPath, args: [support("line-home.mjs"), ...switches] };
}

function support(file: string): string {
  return fileURLToPath(new URL(`../support/${file}`, import.meta.url));
}

function hasPython(): boolean {
  return spawnSync("python3", ["--version"]).status === 0;
}
