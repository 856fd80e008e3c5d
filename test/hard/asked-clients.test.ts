/** Processes that are lent to clients which can be asked: how many there are, how they end, and who is told what meanwhile. */
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { ASKABLE, AskedClient, textOf } from "../support/asked-client.ts";
import { AskingServer } from "../support/asking-ledger.ts";
import { overWebSocket } from "../support/clients/carriers.ts";
import { answersTo, answerTo, type Message } from "../support/clients/client.ts";
import { PostingClient } from "../support/clients/posting-client.ts";
import { TwoWayClient } from "../support/clients/two-way-client.ts";
import { isRunning, until } from "../support/processes.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const MOST = 16;
const QUIET = { log: { level: "error" } };

describe("processes that are lent", () => {
  const opened: { hub: SpawnedZaguan; server: AskingServer }[] = [];

  async function start(limits: object = {}, more: object = {}) {
    const server = new AskingServer();
    const config = { mcpServers: { x: server.entry(more) }, limits, ...QUIET };
    const hub = await spawnZaguan({ config });
    opened.push({ hub, server });
    const open = (name: string, capabilities: object = ASKABLE, path = "/servers/x/mcp") =>
      AskedClient.open(name, `${hub.url}${path}`, capabilities as typeof ASKABLE);
    return { server, hub, config, open };
  }

  after(async () => {
    for (const { hub, server } of opened) {
      await hub.stop();
      assert.deepEqual(server.alive(), []);
      server.remove();
    }
  });

  it("are few, however many short sessions there are one after the other, asked or not", async (t) => {
    const { server, open } = await start();
    for (const tool of ["who", "elicit"]) {
      let most = 0;
      const began = server.started().length;
      for (let n = 0; n < 100; n++) {
        const client = await open(`${n}`);
        assert.match(await client.call(tool, { nonce: "n" }), /pid|accept/);
        most = Math.max(most, server.alive().length);
        client.session.endSession();
      }
      t.diagnostic(`${tool}: ${server.started().length - began} processes started, ${most} at most at a time`);
      assert.ok(most <= MOST + 2, `${most} processes`);
    }
  });

  it("end with their sessions, however those end", async () => {
    const { server, open, hub } = await start({ sessionIdleSeconds: 10 });
    const ways: Record<string, (client: AskedClient) => void> = {
      DELETE: ({ session }) => session.endSession(),
      "by being idle": ({ session }) => session.leave(),
    };
    for (const [way, leave] of Object.entries(ways)) {
      const client = await open(way);
      assert.match(await client.call("elicit", { nonce: way }), /accept/);
      const { pid } = JSON.parse(await client.call("who")) as { pid: number };
      leave(client);
      await until(`its process ends: ${way}`, () => !isRunning(pid), 45_000);
    }
    const socket = await TwoWayClient.open("2025", overWebSocket(`${hub.url}/servers/x/mcp`));
    const sent = socket.request("tools/call", { name: "elicit", arguments: { nonce: "socket" } });
    await until("it is asked", () => socket.unasked.some(({ method }) => method === "elicitation/create"));
    assert.deepEqual(answersTo(sent), []);
    socket.leave();
    await until("its process ends with the socket, in the middle of a question", () => server.lent().length === 0);
  });

  it("are bounded: one client too many is told so, and is served when there is room", async () => {
    const { server, open, hub } = await start({ callSeconds: 60 });
    const clients = await Promise.all(Array.from({ length: MOST }, (_, n) => open(`${n}`)));
    const calls = clients.map((client) => client.send("elicit", { nonce: client.name }));
    await Promise.all(clients.map((client) => client.isAsked()));
    await areLent(server, MOST);
    const late = await open("late", ASKABLE, "/mcp");
    const refused = await answerTo(late.send("who"));
    assert.deepEqual(
      [refused.error?.data?.["code"], refused.error?.data?.["retryAfterMs"]],
      ["NO_CAPACITY", 5_000],
      JSON.stringify(refused),
    );
    assert.match(refused.error?.message ?? "", /x/);
    const plain = new RpcOverHttp(hub.url);
    assert.match((await plain.call("who")).text, /pid/);
    clients[3]?.answerAll();
    assert.match(textOf(await answerTo(calls[3] as (typeof calls)[0])), /accept/);
    assert.match(await late.call("who"), /pid/);
    assert.ok(server.lent().length <= MOST + 1);
    for (const client of clients) client.answerAll();
    for (const [n, call] of calls.entries()) if (n !== 3) assert.match(textOf(await answerTo(call)), /accept/);
    await plain.close();
    for (const { session } of [...clients, late]) session.endSession();
  });

  it("end with a server that is taken out of the file, or changed there, also while they are busy", async () => {
    const { server, open, hub, config } = await start();
    const [asked, busy] = [await open("asked"), await open("busy")];
    const sent = [asked.send("elicit", { nonce: "n" }), busy.send("hang")];
    await asked.isAsked();
    await until("both have theirs", () => server.lent().length === 2);
    const before = server.alive();
    hub.writeConfig({ ...config, mcpServers: { x: { ...server.entry(), env: { CHANGED: "1" } } } });
    for (const each of sent) assert.match(textOf(await answerTo(each)), /OUTCOME_UNKNOWN|SOURCE_UNAVAILABLE/);
    await until("they have ended", () => !before.some(isRunning));
    await until("the changed one is there", () => server.alive().length > 0);
    assert.match(await asked.call("elicit", { nonce: "again" }), /accept/);
    const last = busy.send("hang");
    await until("both have theirs", () => server.lent().length === 2);
    hub.writeConfig({ ...config, mcpServers: {} });
    assert.match(textOf(await answerTo(last)), /OUTCOME_UNKNOWN|SOURCE_UNAVAILABLE/);
    await until("none is left", () => server.alive().length === 0);
    for (const { session } of [asked, busy]) session.endSession();
  });

  it("are no less when the plain one is killed", async () => {
    const { server, open, hub } = await start();
    const asked = await open("asked");
    const { pid, count } = JSON.parse(await asked.call("who")) as { pid: number; count: number };
    const plain = new RpcOverHttp(hub.url);
    assert.match((await plain.call("crash")).text, /OUTCOME_UNKNOWN/);
    assert.deepEqual(JSON.parse(await asked.call("who")), { pid, count: count + 1, declared: ASKABLE });
    assert.match((await plain.call("who")).text, /pid/);
    await plain.close();
    assert.ok(server.lent().includes(pid));
    asked.session.endSession();
  });

  it("end a call at callMaxSeconds, whatever is reported or asked", async () => {
    const { open } = await start({ callSeconds: 8, callMaxSeconds: 12 });
    const [asked, busy] = [await open("asked"), await open("busy")];
    const sent = [
      asked.send("elicit", { nonce: "n" }),
      busy.send("work", { ms: 60_000, everyMs: 200 }, { wantsProgress: true }),
    ];
    for (const each of sent) assert.match(textOf(await answerTo(each)), /DEADLINE_EXCEEDED/);
    await until("the question is taken back", () => asked.heard("notifications/cancelled").length > 0);
    assert.match(await asked.call("who"), /pid/);
    for (const { session } of [asked, busy]) session.endSession();
  });

  it("serve clients of 2026-07-28 for each call, in rounds, and are used again", async () => {
    const { server, hub } = await start();
    const client = new PostingClient("2026", `${hub.url}/servers/x/mcp`);
    for (let round = 0; round < 5; round++) {
      const params = { name: "elicit", arguments: { nonce: `n${round}` } };
      const asked = await answerTo(client.request("tools/call", params));
      const answers = { inputResponses: { "ask-1": { action: "accept", content: {} } } };
      const again = { ...params, ...answers, requestState: asked.result?.["requestState"] };
      assert.match(textOf(await answerTo(client.request("tools/call", again))), /accept/);
    }
    await areLent(server, 1);
    const left = client.request("tools/call", { name: "elicit", arguments: { nonce: "left" } });
    await answerTo(left);
    client.leave();
  });

  it("raise the level of the log for their client alone", async () => {
    const { server, open } = await start();
    const [loud, quiet] = [await open("loud"), await open("quiet")];
    await answerTo(loud.session.request("logging/setLevel", { level: "debug" }));
    await answerTo(quiet.session.request("logging/setLevel", { level: "error" }));
    const logged = (client: AskedClient, sent: { heard: readonly Message[] }) =>
      [...sent.heard, ...client.session.unasked].filter(({ method }) => method === "notifications/message").length;
    const said = [loud, quiet].map((client) => [client, client.send("log", { level: "info" })] as const);
    for (const [, sent] of said) await answerTo(sent);
    // It may come on the session's own stream, which is another connection than the answer's.
    await until("the loud one is told", () => logged(...(said[0] as (typeof said)[0])) > 0);
    assert.deepEqual(
      said.map(([client, sent]) => logged(client, sent)),
      [1, 0],
    );
    assert.equal(server.lines(/level debug/).length, 1);
    for (const { session } of [loud, quiet]) session.endSession();
  });

  it("that take long to start are waited for in the background, and told to end before they are killed", async () => {
    const server = new AskingServer();
    const npx = join(server.folder, "npx");
    writeFileSync(npx, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    chmodSync(npx, 0o755);
    const entry = { command: npx, args: server.args, env: { START_MS: "10000" } };
    const hub = await spawnZaguan({ config: { mcpServers: { x: entry }, limits: { callSeconds: 4 }, ...QUIET } });
    opened.push({ hub, server });
    const plain = new RpcOverHttp(hub.url);
    const early = await plain.send("POST", "/servers/x/mcp", call("who"));
    assert.match(early.text, /SOURCE_STARTING/);
    assert.deepEqual([early.status, early.headers["retry-after"]], [503, "5"], early.text);
    await until("it has started", () => server.lines(/declared/).length > 0);
    assert.match((await plain.send("POST", "/servers/x/mcp", call("who"))).text, /pid/);
    assert.deepEqual(server.lines(/term/), []);
    const asked = AskedClient.open("asked", `${hub.url}/mcp`);
    const client = await asked;
    assert.match(await client.call("who"), /SOURCE_STARTING/);
    await until("one is starting for it", () => server.started().length > 1);
    await hub.stop();
    await plain.close();
    assert.ok(server.lines(/term/).length > 0, "it had time to end");
  });

  it("cost no more than the plain one", async (t) => {
    const { open } = await start();
    const [asked, mute] = [await open("asked"), await open("mute", {})];
    const times = new Map([asked, mute].map((client) => [client, [] as number[]]));
    for (let n = 0; n < 1_000; n++) {
      for (const [client, all] of times) {
        const began = performance.now();
        const sent = client.send("who");
        while (answersTo(sent).length === 0) await new Promise(setImmediate);
        all.push(performance.now() - began);
      }
    }
    for (const [{ name }, all] of times)
      t.diagnostic(`${name}: median ${all.sort((a, b) => a - b)[500]?.toFixed(2)} ms`);
    for (const { session } of times.keys()) session.endSession();
  });
});

/** The process with which the hub once looked for tools that only such clients see may take a moment to end. */
function areLent(server: AskingServer, count: number): Promise<void> {
  return until(`${count} are lent`, () => server.lent().length === count);
}

function call(tool: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } });
}
