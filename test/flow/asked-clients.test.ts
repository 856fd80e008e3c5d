/**
 * Clients that can be asked (sampling, elicitation, roots) and clients that cannot, at one server on stdio at the same time:
 * each question reaches the client whose call it belongs to, nobody waits for another's, and nothing is left of who has gone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ASKABLE, AskedClient, accept, textOf } from "../support/asked-client.ts";
import { AskingServer } from "../support/asking-ledger.ts";
import { answersTo, answerTo } from "../support/clients/client.ts";
import { PostingClient } from "../support/clients/posting-client.ts";
import { isRunning, until } from "../support/processes.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { TwoEraSite } from "../support/two-era-site.ts";

const PLACES = { "/mcp": "x__", "/servers/x/mcp": "" } as const;
const ROUNDS = 5;
const REFUSED = "refused -32601";
/** A client's first call starts a process of its own within its time. */
const LIMITS = { callSeconds: 6, callMaxSeconds: 24 };

describe("clients that can be asked", () => {
  const server = new AskingServer();
  let hub: SpawnedZaguan;
  let plain: RpcOverHttp;
  const gone: AskedClient[] = [];

  before(async () => {
    const y = new AskingServer();
    const mcpServers = { y: y.entry(), x: server.entry() };
    hub = await spawnZaguan({ config: { mcpServers, limits: LIMITS, log: { level: "error" } } });
    plain = new RpcOverHttp(hub.url);
  });
  after(async () => {
    await plain?.close();
    for (const client of gone) client.session.leave();
    await hub?.stop();
    assert.deepEqual(server.alive(), []);
    server.remove();
  });

  async function open(name: string, path: string, capabilities?: object): Promise<AskedClient> {
    const client = await AskedClient.open(name, `${hub.url}${path}`, capabilities as typeof ASKABLE);
    gone.push(client);
    return client;
  }

  for (const [path, prefix] of Object.entries(PLACES)) {
    describe(`at ${path}`, () => {
      it("are asked each for itself, ten times all at once, beside others that cannot be asked", async () => {
        const names = ["ana", "ben", "cleo", "dan"];
        const clients = await Promise.all(names.map((name) => open(name, path)));
        const mute = await open("mute", path, {});
        const told = [];
        for (let round = 0; round < 10; round++) {
          const calls = clients.map((client) => client.call(`${prefix}elicit`, { nonce: `${client.name}-${round}` }));
          const [refused, ...answers] = await Promise.all([mute.call(`${prefix}elicit`, { anyway: true }), ...calls]);
          assert.equal(refused, `undefined ${REFUSED}`);
          told.push(...answers);
        }
        const wanted = told.map((_, index) => {
          const name = names[index % 4] ?? "";
          return `${name}-${Math.floor(index / 4)} ${JSON.stringify(accept(name))}`;
        });
        assert.equal(told.length, 40);
        assert.deepEqual(told, wanted);
        for (const client of [...clients, mute]) client.session.endSession();
      });

      it("leave nobody else waiting: who cannot be asked is not asked, or refused at once", async () => {
        const asked = await open("asked", path);
        assert.match(await asked.call(`${prefix}roots`), /file:\/\/\/asked/);
        const mute = await open("mute", path, {});
        assert.equal(await mute.call(`${prefix}roots`), "nobody to ask");
        assert.equal(await mute.call(`${prefix}roots`, { anyway: true }), REFUSED);
        assert.equal((await plain.call("x__roots", { anyway: true })).reply.result?.content?.[0]?.text, REFUSED);
        asked.session.endSession();
        mute.session.endSession();
      });

      it("keep their own process with its memory, whatever others do", async () => {
        const [one, other] = [await open("one", path), await open("other", path)];
        const who = async (client: AskedClient) =>
          JSON.parse(await client.call(`${prefix}who`)) as { pid: number; count: number };
        const first = await who(one);
        for (let i = 0; i < 3; i++) await who(other);
        await plain.call("x__who");
        const again = await who(one);
        assert.deepEqual([again.pid, again.count], [first.pid, first.count + 1]);
        for (const client of [one, other]) client.session.endSession();
      });

      it("hear once of what they subscribed to, and leave no process and no subscription of theirs", async () => {
        const [asked, mute] = [await open("asked", path), await open("mute", path, {})];
        for (const { session } of [asked, mute]) {
          assert.deepEqual(
            (await answerTo(session.request("resources/subscribe", { uri: server.uri }))).error,
            undefined,
          );
        }
        const updates = (client: AskedClient) => client.heard("notifications/resources/updated").length;
        server.change(`${path} 1`);
        await until("both are told", () => updates(asked) > 0 && updates(mute) > 0);
        await mute.call(`${prefix}who`);
        const { pid } = JSON.parse(await asked.call(`${prefix}who`)) as { pid: number };
        assert.deepEqual([updates(asked), updates(mute)], [1, 1]);
        const started = server.started().length;
        asked.session.endSession();
        await until("its process has ended", () => !isRunning(pid));
        server.change(`${path} 2`);
        await until("the other is told", () => updates(mute) > 1);
        await mute.call(`${prefix}who`);
        assert.deepEqual([updates(asked), updates(mute)], [1, 2]);
        assert.equal(server.started().length, started, "nothing is started for who has gone");
        mute.session.endSession();
      });

      it("get another process when theirs is killed in the middle of their first call, which ends with an unknown outcome", async () => {
        const asked = await open("asked", path, { sampling: { [path]: {} } });
        assert.match(await asked.call(`${prefix}crash`), /OUTCOME_UNKNOWN/);
        assert.match(await asked.call(`${prefix}who`), /"count":1/);
        asked.session.endSession();
      });

      it("find what they subscribed to after their process was killed", async () => {
        const asked = await open("asked", path);
        await answerTo(asked.session.request("resources/subscribe", { uri: server.uri }));
        assert.match(await asked.call(`${prefix}crash`), /OUTCOME_UNKNOWN/);
        const { pid } = JSON.parse(await asked.call(`${prefix}who`)) as { pid: number };
        await until("it is told anew", () => server.lines(new RegExp(`^${pid} subscribed`)).length > 0);
        server.change(`${path} 3`);
        await until("it hears", () => asked.heard("notifications/resources/updated").length > 0);
        asked.session.endSession();
      });

      it("may take longer than a call to answer, and so may a tool that reports progress", async () => {
        const [asked, busy, mute] = [await open("asked", path), await open("busy", path), await open("mute", path, {})];
        const sent = asked.send(`${prefix}elicit`, { nonce: "slow" });
        const work = [busy, mute].map((client) =>
          client.call(`${prefix}work`, { ms: 8_000, everyMs: 500 }, { wantsProgress: true }),
        );
        await asked.isAsked();
        assert.deepEqual(await Promise.all(work), ["done", "done"]);
        assert.deepEqual(answersTo(sent), []);
        asked.answerAll();
        assert.equal(textOf(await answerTo(sent)), `slow ${JSON.stringify(accept("asked"))}`);
        for (const client of [asked, busy, mute]) client.session.endSession();
      });

      it("have a question taken back when they cancel the call in which it was asked", async () => {
        const asked = await open("asked", path);
        const sent = asked.send(`${prefix}elicit`, { nonce: "cancelled" });
        await asked.isAsked();
        const [question] = asked.questions();
        sent.cancel();
        await until("it is taken back", () => {
          return asked.heard("notifications/cancelled").some(({ params }) => params?.["requestId"] === question?.id);
        });
        assert.match(await asked.call(`${prefix}who`), /pid/);
        asked.session.endSession();
      });
    });
  }
});

describe("a server of both eras", () => {
  const site = new TwoEraSite();
  let hub: SpawnedZaguan;

  before(async () => {
    hub = await spawnZaguan({
      config: { mcpServers: { x: await site.start() }, log: { level: "error" } },
    });
  });
  after(async () => {
    await hub?.stop();
    assert.equal(site.sessions, 0, "every session was ended");
    site.stop();
  });

  for (const path of ["/mcp", "/servers/x/mcp"]) {
    it(`asks clients of both at the same time, each in its own way, at ${path}`, async () => {
      const older = await AskedClient.open("older", `${hub.url}${path}`);
      const mute = await AskedClient.open("mute", `${hub.url}${path}`, {});
      const newer = new PostingClient("2026", `${hub.url}${path}`);
      const inRounds = async (nonce: string): Promise<string> => {
        const params = { name: "elicit", arguments: { nonce } };
        const { result } = await answerTo(newer.request("tools/call", params));
        const [key = ""] = Object.keys((result?.["inputRequests"] ?? {}) as object);
        const more = { requestState: result?.["requestState"], inputResponses: { [key]: accept("newer") } };
        return textOf(await answerTo(newer.request("tools/call", { ...params, ...more })));
      };
      for (let round = 0; round < ROUNDS; round++) {
        const nonce = `n${round}`;
        const answers = await Promise.all([
          ...["elicit", "elicit_on_stream"].map((tool) => older.call(tool, { nonce })),
          inRounds(nonce),
          mute.call("elicit", { nonce }),
        ]);
        const [byOlder, byNewer] = ["older", "newer"].map((name) => `${nonce} ${JSON.stringify(accept(name))}`);
        assert.deepEqual(answers, [byOlder, byOlder, byNewer, "nobody to ask"]);
      }
      for (const { session } of [older, mute]) session.endSession();
    });
  }
});
