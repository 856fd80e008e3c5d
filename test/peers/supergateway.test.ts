/**
 * supergateway, which puts a stdio server on a port or a port on stdio: behind the hub in each of its four forms, and in
 * front of it in both. What comes through is what supergateway lets a client of its own see.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { CAN_BE_ASKED } from "./support/answers.ts";
import { type ListeningBridge, listeningGateway, superGateway } from "./support/bridges.ts";
import { assertSwitched, HOUSE_TOOLS } from "./support/house.ts";
import { connectV1, type PeerClient } from "./support/official-clients.ts";
import { everything } from "./support/official-servers.ts";

const DOCUMENT = { uri: "demo://resource/static/document/startup.md" };
const LONG = "trigger-long-running-operation";

/** What server-everything offers to those who cannot be asked anything. */
const FEWEST = 13;

interface Form {
  readonly words: readonly string[];
  /** Whether it keeps the server running, so that this may say something in the middle of its work. */
  readonly talks: boolean;
  /** Whether it also lets the answers through to what the server asks; over a WebSocket it changes their ids. */
  readonly asks: boolean;
  url(host: string): string;
}

const FORMS: Readonly<Record<string, Form>> = {
  "HTTP+SSE": { words: ["--outputTransport", "sse"], talks: true, asks: true, url: (host) => `http://${host}/sse` },
  "Streamable HTTP without sessions": {
    words: ["--outputTransport", "streamableHttp"],
    talks: false,
    asks: false,
    url: (host) => `http://${host}/mcp`,
  },
  "Streamable HTTP with sessions": {
    words: ["--outputTransport", "streamableHttp", "--stateful"],
    talks: true,
    asks: true,
    url: (host) => `http://${host}/mcp`,
  },
  WebSocket: { words: ["--outputTransport", "ws"], talks: true, asks: false, url: (host) => `ws://${host}/message` },
};

for (const [name, { words, talks, asks, url }] of Object.entries(FORMS)) {
  describe(`supergateway behind the hub, over ${name}`, () => {
    let bridge: ListeningBridge;
    let hub: SpawnedZaguan;
    let direct: PeerClient;
    before(async () => {
      bridge = await listeningGateway(everything(), ...words);
      const entry = { url: url(bridge.host), zaguan: { allowPrivate: true } };
      hub = await spawnZaguan({ config: { mcpServers: { everything: entry } } });
      // Beside the hub a server of the same kind, and not the same one: over a WebSocket all clients share a process.
      direct = await connectV1(everything(), CAN_BE_ASKED);
    });
    after(async () => {
      await direct.close();
      await hub.stop();
      await bridge.close();
    });

    test("lists and calls in the whole catalogue", async () => {
      const client = await connectV1(`${hub.url}/mcp`);
      const names = (await client.toolsWhen(HOUSE_TOOLS.length + FEWEST)).map((tool) => tool.name);
      assert.deepEqual(names.slice(0, HOUSE_TOOLS.length), HOUSE_TOOLS);
      assert.deepEqual((await client.call("get-sum", { a: 2, b: 3 })).content[0]?.text, "The sum of 2 and 3 is 5.");
      await client.close();
    });

    describe("at the server's own address", () => {
      let client: PeerClient;
      before(async () => {
        client = await connectV1(`${hub.url}/servers/everything/mcp`, CAN_BE_ASKED);
      });
      after(() => client.close());

      test("tools are what the server defined", async () => {
        const own = new Map((await direct.tools()).map((tool) => [tool.name, tool]));
        const listed = await client.toolsWhen(talks ? own.size : FEWEST);
        assert.ok(listed.length >= FEWEST, `${listed.length} tools`);
        for (const tool of listed) assert.deepEqual(tool, own.get(tool.name));
      });

      test("a result arrives unchanged", async () => {
        const [tool, args] = ["get-annotated-message", { messageType: "error", includeImage: true }] as const;
        assert.deepEqual(await client.callRaw(tool, args), await direct.callRaw(tool, args));
      });

      test("resources and prompts arrive unchanged", async () => {
        assert.deepEqual(await client.raw.readResource(DOCUMENT), await direct.raw.readResource(DOCUMENT));
        const prompt = { name: "args-prompt", arguments: { city: "Cádiz" } };
        assert.deepEqual(await client.raw.getPrompt(prompt), await direct.raw.getPrompt(prompt));
      });

      test("many calls at once each get their own answer", async () => {
        const messages = Array.from({ length: talks ? 20 : 3 }, (_, index) => `n.º ${index}`);
        const answers = await Promise.all(messages.map((message) => client.call("echo", { message })));
        const expected = messages.map((message) => `Echo: ${message}`);
        assert.deepEqual(
          answers.map(({ content }) => content[0]?.text),
          expected,
        );
      });

      if (talks) {
        test("progress comes step by step", async () => {
          const seen: unknown[] = [];
          const onprogress = (progress: unknown): void => void seen.push(progress);
          await client.call(LONG, { duration: 0.3, steps: 3 }, { onprogress });
          assert.deepEqual(
            seen,
            [1, 2, 3].map((progress) => ({ progress, total: 3 })),
          );
        });
      }

      if (asks) {
        test("the client is asked", async () => {
          for (const tool of ["trigger-sampling-request", "trigger-elicitation-request"]) {
            const args = tool === "trigger-sampling-request" ? { prompt: "hola" } : {};
            assert.deepEqual(await client.callRaw(tool, args), await direct.callRaw(tool, args));
          }
        });
      }
    });
  });
}

describe("supergateway in front of the hub", () => {
  let hub: SpawnedZaguan;
  let direct: PeerClient;
  let undeclared: PeerClient;
  before(async () => {
    hub = await spawnZaguan({ config: { mcpServers: { everything: everything() } } });
    direct = await connectV1(everything(), CAN_BE_ASKED);
    undeclared = await connectV1(everything());
  });
  after(async () => {
    await Promise.all([direct.close(), undeclared.close()]);
    await hub.stop();
  });

  for (const [option, end] of [
    ["--sse", "/sse"],
    ["--streamableHttp", "/mcp"],
  ] as const) {
    for (const place of ["", "/servers/everything"]) {
      test(`${option} ${place}${end}`, async () => {
        const client = await connectV1(superGateway(option, `${hub.url}${place}${end}`));
        // At the server's own address it sees what a client sees that declares nothing.
        const own = await (place === "" ? direct : undeclared).tools();
        const tools = await client.toolsWhen(own.length + (place === "" ? HOUSE_TOOLS.length : 0));
        assert.deepEqual(tools.slice(-own.length), own);
        if (place === "") assertSwitched(await client.call("set_light_state", { name: "salon", on: true }));
        const args = { location: "Chicago" };
        const result = await client.callRaw("get-structured-content", args);
        assert.deepEqual(result, await direct.callRaw("get-structured-content", args));
        assert.deepEqual(await client.raw.readResource(DOCUMENT), await direct.raw.readResource(DOCUMENT));
        await assert.rejects(client.raw.readResource({ uri: "demo://nowhere" }), { code: -32602 });
        await client.close();
      });
    }
  }
});
