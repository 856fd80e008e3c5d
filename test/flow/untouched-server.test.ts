/** A server's own door, `/servers/NAME/mcp`: what the server has can be called there, whether or not it is in our list. */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../support/http-house.ts";
import { RpcOverHttp, type RpcReply, serverShown } from "../support/rpc-over-http.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { evilServer } from "../support/stub-servers.ts";

const STATELESS = fileURLToPath(new URL("../support/era-server.ts", import.meta.url));

describe("a server's own door", () => {
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    const ways = ["list-fails", "half-a-list", "huge-tool", "list-changes"];
    const mcpServers = {
      ...Object.fromEntries(ways.map((way) => [way, evilServer(way)])),
      stateless: { command: process.execPath, args: [STATELESS, "modern"] },
    };
    hub = await spawnZaguan({ config: { mcpServers, limits: { listWaitSeconds: 1 } } });
    client = new RpcOverHttp(hub.url);
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
  });

  for (const [way, tool, why] of [
    ["list-fails", "act", "its list fails"],
    ["huge-tool", "hidden", "it does not list the tool"],
    ["huge-tool", "huge", "the tool is too large for the catalogue"],
  ] as const) {
    it(`takes a call though ${why}`, async () => {
      const reply = await callAt(way, tool);
      assert.equal(reply.result?.content?.[0]?.text, "done", JSON.stringify(reply));
    });
  }

  it("is the only one: in the whole catalogue what a server has not listed is unknown, unless it has listed nothing", async () => {
    assert.equal((await client.call("huge-tool__huge")).reply.error?.data?.["code"], "UNKNOWN_TOOL");
    assert.equal((await client.call("list-fails__act")).reply.result?.content?.[0]?.text, "done");
  });

  it("says in the log that a list failed, and that a page of one did, of which the rest is offered", async () => {
    await until(() => /its tools could not be listed: JSON-RPC error -32603/.test(log()));
    await until(() => /page 2 of its list of tools failed: JSON-RPC error -32603; what was read/.test(log()));
    assert.equal((await serverShown(client, "half-a-list")).tools, 1);
    assert.equal((await client.call("half-a-list__act")).reply.result?.content?.[0]?.text, "done");
  });

  it("leaves a tool out of the catalogue with its name and the reason, in log, registry and doctor", async () => {
    const line = /tool 'huge' is not offered: its definition is larger than 262144 characters/i;
    await until(() => line.test(log()));
    const kept = JSON.parse((await client.get("/mcp/tools/all")).text) as { name: string; quarantine?: string }[];
    assert.match(kept.find(({ name }) => name === "huge")?.quarantine ?? "", /larger than/);
    const { stdout, stderr } = await runZaguan(
      ["doctor", "--data", join(hub.folder, "data"), "--config", hub.configFile],
      hub.folder,
    );
    assert.match(stdout + stderr, /Tool 'huge' of server 'huge-tool' is quarantined: its definition is larger/);
  });

  it("tells a client of ten thousand changes of a list in a few words", async () => {
    const started = performance.now();
    const { heard, result } = await callOverSocket("list-changes", "act");
    const changes = heard.filter((method) => method === "notifications/tools/list_changed").length;
    // Ten a second at most; how long they take is for the server's budget to say.
    const seconds = (performance.now() - started) / 1_000;
    assert.ok(changes >= 1 && changes <= 10 * seconds + 2, `${changes} in ${seconds} s`);
    assert.equal(result.content?.[0]?.text, "done");
  });

  it("gives a client with a handshake the log of a stateless server before it has named a level", async () => {
    const { heard } = await callOverSocket("stateless", "log");
    assert.deepEqual(heard, ["notifications/message"]);
  });

  /** Over a WebSocket, as a client of 2025-11-25: what it was told until the answer came, and the answer. */
  async function callOverSocket(server: string, name: string) {
    const socket = new WebSocket(`${hub.url.replace("http", "ws")}/servers/${server}/mcp`);
    const heard: string[] = [];
    const answers = new Map<unknown, PromiseWithResolvers<NonNullable<RpcReply["result"]>>>();
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.method) heard.push(message.method);
      else answers.get(message.id)?.resolve(message.result);
    });
    const ask = (id: number, method: string, params: object) => {
      const answer = Promise.withResolvers<NonNullable<RpcReply["result"]>>();
      answers.set(id, answer);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      return answer.promise;
    };
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    try {
      const clientInfo = { name: "tester", version: "1" };
      await ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
      socket.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
      const result = await ask(2, "tools/call", { name, arguments: {} });
      return { heard, result };
    } finally {
      socket.close();
    }
  }

  function log(): string {
    return hub.stdout() + hub.stderr();
  }

  async function callAt(server: string, name: string): Promise<RpcReply> {
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } });
    return JSON.parse((await client.send("POST", `/servers/${server}/mcp`, call)).text) as RpcReply;
  }
});
