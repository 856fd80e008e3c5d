/**
 * The official TypeScript client of the 2.x line with server-everything, which is older than it, behind the hub: pinned to
 * the revision without a handshake, where the hub translates between the two, and with a handshake.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../support/processes.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { answering, CAN_BE_ASKED } from "./support/answers.ts";
import { asModern, withoutMarks } from "./support/era-marks.ts";
import { timeless } from "./support/everything-settings.ts";
import { HOUSE_TOOLS } from "./support/house.ts";
import {
  type ConnectOptions,
  connectV1,
  connectV2,
  type PeerClient,
  type RawClient,
} from "./support/official-clients.ts";
import { everything, tappedEverything } from "./support/official-servers.ts";

const STATELESS = "2026-07-28";
const LONG = "trigger-long-running-operation";
const WATCHED = "demo://resource/dynamic/text/1";
const TOGGLE_UPDATES = "toggle-subscriber-updates";

/** What a client declares must make no difference to what it hears. */
const KINDS = [
  ["a client that cannot be asked", {}],
  ["a client that can be asked", CAN_BE_ASKED],
] as const;

type Ask = (raw: RawClient) => Promise<unknown>;

const ASKED: Readonly<Record<string, Ask>> = {
  "resources/list": (raw) => raw.listResources(),
  "resources/templates/list": (raw) => raw.listResourceTemplates(),
  "prompts/list": (raw) => raw.listPrompts(),
  "a document": (raw) => raw.readResource({ uri: "demo://resource/static/document/features.md" }),
  "a text made from a template": (raw) => raw.readResource({ uri: WATCHED }),
  "a prompt with arguments": (raw) => raw.getPrompt({ name: "args-prompt", arguments: { city: "Cádiz" } }),
  "a completion": (raw) =>
    raw.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "" },
    }),
};

const CALLS: readonly (readonly [string, object])[] = [
  ["echo", { message: 'ñ 你好 \u0007 \\ " 😀' }],
  ["get-structured-content", { location: "Los Angeles" }],
  ["get-resource-links", { count: 2 }],
  ["trigger-sampling-request", { prompt: "hola" }],
  ["trigger-elicitation-request", {}],
  ["get-roots-list", {}],
];

for (const [mode, negotiation, version] of [
  ["pinned", { pin: STATELESS }, STATELESS],
  ["legacy", "legacy", "2025-11-25"],
] as const) {
  const isModern = version === STATELESS;
  describe(`TypeScript client v2, ${mode}, with server-everything behind the hub`, () => {
    const temp = mkdtempSync(join(tmpdir(), "zaguan-v2-servers-"));
    const tapFile = join(temp, "tap");
    let hub: SpawnedZaguan;
    let direct: PeerClient;
    before(async () => {
      hub = await spawnZaguan({ config: { mcpServers: { everything: tappedEverything(tapFile) } } });
      direct = await connectV1(everything(), CAN_BE_ASKED);
    });
    after(async () => {
      await direct.close();
      await hub.stop();
      rmSync(temp, { recursive: true, force: true });
    });

    for (const place of ["/servers/everything/mcp", "/mcp"]) {
      describe(`at ${place}`, () => {
        const connect = (options: ConnectOptions = CAN_BE_ASKED) =>
          connectV2(`${hub.url}${place}`, { ...options, negotiation });
        let client: PeerClient;
        before(async () => {
          client = await connect();
        });
        after(() => client.close());

        test(`it agrees on ${version}`, () => {
          assert.equal(client.raw.getNegotiatedProtocolVersion?.(), version);
          const name = place === "/mcp" ? "zaguan" : "mcp-servers/everything";
          assert.equal(client.raw.getServerVersion()?.name, name);
        });

        test("it lists the tools", async () => {
          const own = (await direct.tools()).map(isModern ? asModern : (tool) => tool);
          const before = place === "/mcp" ? HOUSE_TOOLS.length : 0;
          assert.deepEqual((await client.toolsWhen(before + own.length)).slice(before), own);
        });

        for (const [name, args] of CALLS) {
          test(`${name} ${JSON.stringify(args)} answers as it does without us`, async () => {
            assert.deepEqual(withoutMarks(await client.callRaw(name, args)), await direct.callRaw(name, args));
          });
        }

        for (const [name, ask] of Object.entries(ASKED)) {
          test(`${name} is what it is without us`, async () => {
            const expected = timeless(await direct.wire(ask));
            assert.deepEqual(timeless(withoutMarks(await client.wire(ask))), expected);
          });
        }

        test("a person who declines is understood", async () => {
          const unwilling = await connect(answering("elicitation/create", { action: "decline" }));
          const { content } = await unwilling.call("trigger-elicitation-request");
          assert.match(content[0]?.text ?? "", /declined/);
          await unwilling.close();
        });

        test("two clients that are asked at the same time each answer for themselves", async () => {
          const names = ["Berta", "Carlos"];
          const clients = await Promise.all(
            names.map((name) => connect(answering("elicitation/create", { action: "accept", content: { name } }))),
          );
          const results = await Promise.all(clients.map((each) => each.call("trigger-elicitation-request")));
          for (const [index, { content }] of results.entries()) {
            assert.match(content[1]?.text ?? "", new RegExp(`Name: ${names[index]}`));
          }
          await Promise.all(clients.map((each) => each.close()));
        });

        test("progress comes step by step", async () => {
          const seen: unknown[] = [];
          const onprogress = (progress: unknown): void => void seen.push(progress);
          await client.call(LONG, { duration: 0.4, steps: 4 }, { onprogress });
          assert.deepEqual(
            seen,
            [1, 2, 3, 4].map((progress) => ({ progress, total: 4 })),
          );
        });

        for (const [kind, options] of KINDS) {
          // Such a client's calls have connections of their own, and this server tells of changes on the caller's alone.
          const skip = isModern && options === CAN_BE_ASKED && "it listens with all others, on another connection";
          test(`it hears of a resource that it listens for, and no longer than it does: ${kind}`, {
            skip,
          }, async () => {
            const listener = await connect(options);
            const stop = await subscribe(listener, WATCHED);
            await listener.call(TOGGLE_UPDATES);
            await until("it is told", () => listener.updatesOf(WATCHED) > 0);
            await stop();
            await listener.call(TOGGLE_UPDATES);
            const told = listener.updatesOf(WATCHED);
            await listener.call(TOGGLE_UPDATES);
            await listener.call("echo", { message: "what was on its way has come" });
            await listener.call(TOGGLE_UPDATES);
            assert.equal(listener.updatesOf(WATCHED), told);
            await listener.close();
          });
        }
      });
    }

    test("the server hears nothing of the newer revision but our own question", () => {
      const lines = readFileSync(tapFile, "utf8").split("\n");
      const others = lines.filter((line) => !line.includes('"server/discover"'));
      assert.ok(others.length > CALLS.length);
      assert.doesNotMatch(others.join("\n"), /io\.modelcontextprotocol\/|2026-07-28|resultType|inputResponses/);
    });

    async function subscribe({ raw }: PeerClient, uri: string): Promise<() => Promise<unknown>> {
      if (isModern) {
        const listening = await raw.listen?.({ resourceSubscriptions: [uri] });
        assert.ok(listening);
        return () => listening.close();
      }
      await raw.subscribeResource({ uri });
      return () => raw.unsubscribeResource({ uri });
    }
  });
}
