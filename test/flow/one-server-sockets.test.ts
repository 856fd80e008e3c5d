/** One real server at a real hub, over the carriers that go both ways: untouched, in both eras, and asking back. */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { SseParser } from "../../src/protocol/framing/sse.ts";
import type { Message } from "../support/line-rpc.ts";
import { until } from "../support/processes.ts";
import { openSocket, refusal } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { envelope, SUBSCRIPTION_ID, stateless } from "../support/stateless-message.ts";

const FIXTURE = fileURLToPath(new URL("../conformance/fixture-server.mjs", import.meta.url));
const config = { mcpServers: { fixture: { command: process.execPath, args: [FIXTURE, "2025"] } } };

const CAPABILITIES = { elicitation: {} };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: CAPABILITIES },
};
const WATCH = {
  jsonrpc: "2.0",
  id: 2,
  method: "resources/subscribe",
  params: { uri: "test://watched-resource" },
};
const ELICITATION = { name: "test_elicitation", arguments: { message: "who?" } };
const ACCEPTED = { action: "accept", content: { username: "ann", email: "a@b.c" } };

interface Client {
  readonly received: Message[];
  send(message: object): void;
  close(): void;
}

let hub: SpawnedZaguan;
before(async () => {
  hub = await spawnZaguan({ config });
});
after(() => hub.stop());

for (const [carrier, open] of [
  ["a WebSocket", overWebSocket],
  ["HTTP+SSE", overSse],
] as const) {
  describe(`one server over ${carrier}`, () => {
    it("is itself, and asks its client back", async () => {
      const client = await open();
      client.send(INITIALIZE);
      assert.equal((await answer(client, 1)).result.serverInfo.name, "zaguan-conformance-fixture");
      client.send({ jsonrpc: "2.0", id: 2, method: "resources/read", params: { uri: "test://static-text" } });
      assert.equal((await answer(client, 2)).result.contents[0].uri, "test://static-text");
      client.send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: ELICITATION });
      const question = await first(client, "a question", ({ method }) => method === "elicitation/create");
      assert.equal(question.params.message, "who?");
      client.send({ jsonrpc: "2.0", id: question.id, result: ACCEPTED });
      assert.match((await answer(client, 3)).result.content[0].text, /accept.*ann/);
      client.close();
    });

    it("tells those who greeted of what they subscribed to", async () => {
      const client = await open();
      client.send(INITIALIZE);
      await answer(client, 1);
      client.send(WATCH);
      const update = await first(client, "an update", ({ method }) => method === "notifications/resources/updated");
      assert.equal(update.params.uri, "test://watched-resource");
      client.send({ ...WATCH, id: 3, method: "resources/unsubscribe" });
      await answer(client, 3);
      client.close();
    });

    it("is itself to clients without a handshake, which come again with what they were asked", async () => {
      const client = await open();
      client.send(stateless(1, "server/discover"));
      assert.ok((await answer(client, 1)).result.capabilities.completions);
      const call = { ...ELICITATION, _meta: envelope(CAPABILITIES) };
      client.send(stateless(2, "tools/call", call));
      const { resultType, requestState, inputRequests } = (await answer(client, 2)).result;
      assert.equal(resultType, "input_required");
      const [key = ""] = Object.keys(inputRequests);
      client.send(stateless(3, "tools/call", { ...call, requestState, inputResponses: { [key]: ACCEPTED } }));
      assert.match((await answer(client, 3)).result.content[0].text, /accept.*ann/);
      client.close();
    });

    it("tells those who listen without a handshake", async () => {
      const client = await open();
      client.send(stateless("l", "subscriptions/listen", { notifications: { promptsListChanged: true } }));
      await first(client, "it is heard", ({ method }) => method === "notifications/subscriptions/acknowledged");
      client.send(stateless(2, "tools/call", { name: "test_trigger_prompt_change" }));
      const change = await first(client, "a change", ({ method }) => method === "notifications/prompts/list_changed");
      assert.equal(change.params._meta[SUBSCRIPTION_ID], "l");
      client.close();
    });
  });
}

describe("a server that is not there", () => {
  it("is told before a socket or a stream begins", async () => {
    assert.equal((await refusal(`${hub.url}/servers/none/mcp`)).status, 404);
    assert.equal((await fetch(`${hub.url}/servers/none/sse`)).status, 404);
  });
});

async function first(client: Client, what: string, isIt: (message: Message) => boolean): Promise<Message> {
  await until(what, () => client.received.some(isIt));
  return client.received.find(isIt);
}

function answer(client: Client, id: unknown): Promise<Message> {
  return first(client, `an answer to ${id}`, (message) => message.id === id && message.method === undefined);
}

async function overWebSocket(): Promise<Client> {
  const { socket, send } = await openSocket(`${hub.url}/servers/fixture/mcp`);
  const received: Message[] = [];
  socket.on("message", (data) => received.push(JSON.parse(String(data))));
  return { received, send, close: () => socket.close() };
}

async function overSse(): Promise<Client> {
  const leaving = new AbortController();
  const response = await fetch(`${hub.url}/servers/fixture/sse`, { signal: leaving.signal });
  const events: string[] = [];
  const received: Message[] = [];
  const parser = new SseParser(1_000_000, ({ data }) => {
    if (events.push(data) > 1) received.push(JSON.parse(data));
  });
  const reading = (async () => {
    for await (const chunk of response.body ?? []) parser.push(Buffer.from(chunk));
  })();
  reading.catch(() => {});
  await until("the first event", () => events.length > 0);
  const headers = { "content-type": "application/json" };
  const send = (message: object): void => {
    void fetch(`${hub.url}${events[0]}`, { method: "POST", headers, body: JSON.stringify(message) });
  };
  return { received, send, close: () => leaving.abort() };
}
