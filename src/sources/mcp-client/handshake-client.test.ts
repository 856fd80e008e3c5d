import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { makeTool } from "../../../test/support/make-call.ts";
import type { HubEvent } from "../../core/events.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { VERSION } from "../../version.ts";
import type { SourceRequest } from "../source.ts";
import { Conversation } from "./conversation.ts";
import { HandshakeClient } from "./handshake-client.ts";

const NEVER = new AbortController().signal;

describe("the handshake", () => {
  it("asks for our newest revision, declares nothing unless it is a client's, and says who we are", async () => {
    const { client, last, answer } = open();
    const version = client.initialize(NEVER);
    assert.deepEqual(last().params, {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "zaguan", version: VERSION },
    });
    answer({ protocolVersion: "2025-03-26", capabilities: {} });
    assert.equal(await version, "2025-03-26");
    await client.begin();
    assert.deepEqual(last(), { jsonrpc: "2.0", method: "notifications/initialized" });
  });

  it("is over when the server has taken its last message: some offer their tools only then", async () => {
    const { client, taking } = open();
    const taken = Promise.withResolvers<void>();
    taking(() => taken.promise);
    let isOver = false;
    const begun = client.begin().then(() => {
      isOver = true;
    });
    await turn();
    assert.equal(isOver, false);
    taken.resolve();
    await begun;
  });

  it("does not wait for ever for a server that never takes it, nor fail with one that refuses it", async () => {
    const { client, clock, taking } = open();
    taking(() => new Promise(() => {}));
    const begun = client.begin();
    await clock.advance(2_000);
    await begun;
    taking(() => Promise.reject(new ZaguanError("CANCELLED")));
    await client.begin();
    assert.equal(clock.pending, 0);
  });

  for (const result of [{ protocolVersion: "2099-01-01" }, {}, null, "hello"]) {
    it(`refuses a server that answers ${JSON.stringify(result)}`, async () => {
      const { client, answer } = open();
      const version = client.initialize(NEVER);
      answer(result);
      await assert.rejects(version, (error) => error instanceof ZaguanError && error.code === "SOURCE_UNAVAILABLE");
    });
  }

  it("is never cancelled on the wire, though we stop waiting", async () => {
    const { client, sent } = open();
    const giveUp = new AbortController();
    const version = client.initialize(giveUp.signal);
    giveUp.abort(new ZaguanError("CANCELLED"));
    await assert.rejects(version);
    assert.equal(sent.length, 1);
  });
});

describe("listing", () => {
  it("reads page after page and keeps fields nobody knows", async () => {
    const { client, last, answer } = open();
    const list = client.listTools(NEVER);
    assert.deepEqual(last().params, {});
    const tool = makeTool("a", { "x-new": 1 });
    answer({ tools: [tool], nextCursor: "p2" });
    await turn();
    assert.deepEqual(last().params, { cursor: "p2" });
    answer({ tools: [makeTool("b")] });
    assert.deepEqual(await list, [tool, makeTool("b")]);
  });

  it("is over where the next cursor is empty: so some servers write that there is none", async () => {
    const { client, sent, answer } = open();
    const list = client.listTools(NEVER);
    answer({ tools: [makeTool("a")], nextCursor: "" });
    await turn();
    assert.equal(sent.length, 1);
    assert.deepEqual(await list, [makeTool("a")]);
  });

  it("ends with a server whose cursor does not move, and with one whose pages never end", async () => {
    const stuck = open();
    const stuckList = stuck.client.listTools(NEVER);
    for (let page = 0; page < 2; page++) {
      stuck.answer({ tools: [makeTool("a")], nextCursor: "same" });
      await turn();
    }
    await stuckList;
    assert.equal(stuck.sent.length, 2);

    const endless = open();
    const list = endless.client.listTools(NEVER);
    for (let page = 0; page < 200; page++) {
      endless.answer({ tools: [makeTool(`t${page}`)], nextCursor: `p${page}` });
      await turn();
    }
    assert.equal((await list).length, 200);
  });

  it("takes the pages that came if a later one fails, and says so; not if the first does", async () => {
    const { client, answer, last, receive, events } = open();
    const refuse = (error: object): unknown => receive(JSON.stringify({ jsonrpc: "2.0", id: last().id, error }));
    const list = client.listTools(NEVER);
    answer({ tools: [makeTool("a")], nextCursor: "p2" });
    await turn();
    refuse({ code: -32603, message: "secret words" });
    assert.deepEqual(await list, [makeTool("a")]);
    const line = "page 2 of its list of tools failed: JSON-RPC error -32603; what was read of it is offered";
    assert.deepEqual(events, [{ type: "source-warning", source: "tv", line }]);
    const none = client.listTools(NEVER);
    refuse({ code: -32603, message: "no" });
    await assert.rejects(none);
  });

  it("reads no more than 32 MiB, and keeps what came", async () => {
    const { client, sent, answer } = open();
    const list = client.listTools(NEVER);
    const description = "x".repeat(10 * 1_048_576);
    for (let page = 0; page < 4; page++) {
      answer({ tools: [makeTool(`t${page}`, { description })], nextCursor: `p${page}` });
      await turn();
    }
    assert.equal((await list).length, 4);
    assert.equal(sent.length, 4);
  });

  it("leaves out what cannot be a tool, and keeps the rest", async () => {
    const { client, answer } = open();
    const list = client.listTools(NEVER);
    const bad = [null, "x", 1, {}, { name: "list", inputSchema: [] }, { name: "", inputSchema: {} }];
    const worse = [
      { name: 1, inputSchema: {} },
      { name: "x".repeat(257), inputSchema: {} },
    ];
    answer({ tools: [...bad, ...worse, makeTool("ok")] });
    assert.deepEqual(await list, [makeTool("ok")]);
  });

  it("finds none where the server declares none and knows no such list", async () => {
    const { client, answer, receive } = open();
    const refuse = (id: number) =>
      receive(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }));
    for (const [round, capabilities] of [{}, { tools: {} }].entries()) {
      const greeted = client.initialize(NEVER);
      answer({ protocolVersion: "2025-11-25", capabilities });
      await greeted;
      const list = client.listTools(NEVER);
      refuse(2 * round + 2);
      if ("tools" in capabilities) await assert.rejects(list);
      else assert.deepEqual(await list, []);
    }
  });

  for (const result of [{}, null, [], "tools", { tools: null }, { tools: {} }, { tools: "abc" }, { tools: 7 }]) {
    it(`takes ${JSON.stringify(result)} for no tools`, async () => {
      const { client, answer } = open();
      const list = client.listTools(NEVER);
      answer(result);
      assert.deepEqual(await list, []);
    });
  }
});

describe("calling", () => {
  it("sends the tool's name and the arguments' own characters, and nothing else of the caller's", async () => {
    const { client, sent, receive } = open();
    const answer = client.request(request({ args: Payload.ofText('{"n":1.0, "big":12345678901234567890}') }));
    assert.equal(
      sent[0],
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"la\\"mp","arguments":{"n":1.0, "big":12345678901234567890}}}',
    );
    receive('{"jsonrpc":"2.0","id":1,"result":{ "content":[],"_new":1.50 }}');
    assert.equal((await answer).text, '{ "content":[],"_new":1.50 }');
  });

  it("asks for progress under our own token where somebody wants it", () => {
    const { client, last, receive } = open();
    const seen: string[] = [];
    void client.request(request({ onProgress: ({ text }) => seen.push(text) }));
    assert.deepEqual(last().params, { name: 'la"mp', arguments: {}, _meta: { progressToken: 1 } });
    receive('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}');
    assert.deepEqual(seen, ['{"progressToken":1,"progress":0.5}']);
  });

  it("tells the source when the caller leaves", async () => {
    const { client, last } = open();
    const caller = new AbortController();
    const answer = client.request(request({ signal: caller.signal }));
    caller.abort(new ZaguanError("CANCELLED"));
    await assert.rejects(answer);
    assert.deepEqual(last(), { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  });
});

describe("what the server says unasked", () => {
  it("that its tools changed is passed on; other notifications are not mistaken for it", () => {
    const { receive, changes } = open();
    receive('{"jsonrpc":"2.0","method":"notifications/message","params":{}}');
    assert.equal(changes(), 0);
    receive('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    assert.equal(changes(), 1);
  });

  it("a question is passed on with word of its being taken back, by the server or by its end", async () => {
    const { receive, asked, conversation } = open();
    for (const id of [1, 2]) receive(`{"jsonrpc":"2.0","id":${id},"method":"elicitation/create"}`);
    await turn();
    receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    assert.deepEqual(
      asked.map(({ aborted }) => aborted),
      [true, false],
    );
    conversation.peer.end("it crashed");
    assert.deepEqual(
      asked.map(({ aborted }) => aborted),
      [true, true],
    );
  });

  it("what is no message is told as noise", () => {
    const { receive, events } = open();
    receive("npm warn deprecated");
    assert.deepEqual(events, [{ type: "source-noise", source: "tv", line: "npm warn deprecated" }]);
  });
});

function open() {
  const sent: string[] = [];
  const events: HubEvent[] = [];
  const asked: AbortSignal[] = [];
  let changes = 0;
  const clock = new FakeClock();
  let taken = (): Promise<void> => Promise.resolve();
  const context = {
    name: "tv",
    clock,
    emit: (event: HubEvent) => events.push(event),
    onToolsChanged: () => changes++,
    onNotification: () => {},
    onRequest: (_method: string, _params: Payload, signal: AbortSignal) => {
      asked.push(signal);
      return Promise.withResolvers<Payload>().promise;
    },
    onLog: () => {},
  };
  const conversation = new Conversation(context, (message) => {
    sent.push(message);
    return taken();
  });
  const taking = (how: () => Promise<void>): void => {
    taken = how;
  };
  const client = new HandshakeClient(conversation);
  const last = () => JSON.parse(sent.at(-1) ?? "null") as Record<string, unknown>;
  const receive = (text: string) => conversation.peer.receive(text);
  const answer = (result: unknown) => receive(JSON.stringify({ jsonrpc: "2.0", id: last()["id"], result }));
  const fields = () => last() as { id?: unknown; params?: unknown };
  return {
    client,
    clock,
    conversation,
    asked,
    sent,
    taking,
    events,
    receive,
    answer,
    last: fields,
    changes: () => changes,
  };
}

function request(overrides: Partial<SourceRequest>): SourceRequest {
  return {
    method: "tools/call",
    name: 'la"mp',
    args: Payload.ofText("{}"),
    language: "en",
    signal: NEVER,
    ...overrides,
  };
}
