import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeError } from "../../../test/support/make-error.ts";
import { ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Payload } from "../json/payload.ts";
import { type PeerOptions, RpcPeer } from "./peer.ts";

const NOTHING = () => "{}";
const NEVER: CancelSignal = new AbortController().signal;

describe("requests to a source", () => {
  it("carry ids of our own, counting from 1, which params may use", () => {
    const { peer, sent } = open();
    void peer.request("a", NOTHING, { signal: NEVER });
    void peer.request("b", (id) => `{"token":${id}}`, { signal: NEVER });
    assert.deepEqual(sent, [
      '{"jsonrpc":"2.0","id":1,"method":"a","params":{}}',
      '{"jsonrpc":"2.0","id":2,"method":"b","params":{"token":2}}',
    ]);
  });

  it("get their own answers, in whatever order these come", async () => {
    const { peer } = open();
    const [first, second] = [1, 2].map(() => peer.request("m", NOTHING, { signal: NEVER }));
    peer.receive('{"jsonrpc":"2.0","id":2,"result":"two"}');
    peer.receive('{"jsonrpc":"2.0","id":1,"result":{"n":1.0}}');
    assert.equal((await first)?.text, '{"n":1.0}');
    assert.equal((await second)?.text, '"two"');
    assert.equal(peer.waiting, 0);
  });

  it("are answered by a server that sends our number back as a string", async () => {
    const { peer } = open();
    const answer = peer.request("m", NOTHING, { signal: NEVER });
    peer.receive('{"jsonrpc":"2.0","id":"1","result":true}');
    assert.equal((await answer).text, "true");
  });

  it("fail with the source's own number and text, having run", async () => {
    const { peer } = open();
    const answer = peer.request("m", NOTHING, { signal: NEVER });
    peer.receive('{"jsonrpc":"2.0","id":1,"error":{"code":-32050,"message":"no milk","data":{"left":0}}}');
    const error = await failureOf(answer);
    assert.deepEqual([error.code, error.delivery], ["SOURCE_ERROR", "executed"]);
    const text = '{"code":-32050,"message":"no milk","data":{"left":0}}';
    assert.deepEqual(error.details.relayed, { code: -32050, message: "no milk", data: { left: 0 }, text });
  });

  it("fail with the size and the limit if the answer was passed over, and the others still wait", async () => {
    const { peer, dropped } = open();
    const [first, second] = [1, 2].map(() => peer.request("m", NOTHING, { signal: NEVER })) as [
      Promise<Payload>,
      Promise<Payload>,
    ];
    peer.passOver({ bytes: 900, limit: 100, head: '{"result":{"a":"xx', tail: 'xx"},"id":1}' });
    const error = await failureOf(first);
    const params = { source: "tv", bytes: 900, limit: 100 };
    assert.deepEqual([error.code, error.delivery, error.details.params], ["ANSWER_TOO_LARGE", "executed", params]);
    assert.deepEqual([peer.waiting, dropped], [1, []]);
    peer.receive('{"jsonrpc":"2.0","id":2,"result":2}');
    assert.equal((await second).text, "2");
  });

  it("are none of those that wait if the answer's id cannot be found, which is told", () => {
    const { peer, dropped } = open();
    void peer.request("m", NOTHING, { signal: NEVER });
    peer.passOver({ bytes: 900, limit: 100, head: '{"result":{"id":1,"a":"xx', tail: 'xx","id":1}}' });
    assert.deepEqual([peer.waiting, dropped.length], [1, 1]);
    assert.match(dropped[0] ?? "", /answer of 900 bytes is larger than 100 bytes, and which call/);
  });

  it("are not ended by a question of the same id that was passed over: it is refused", () => {
    const { peer, dropped, sent } = open();
    void peer.request("m", NOTHING, { signal: NEVER });
    peer.passOver({ bytes: 900, limit: 100, head: '{"method":"a","params":{"b":"x', tail: 'x"},"id":1}' });
    assert.deepEqual(
      [peer.waiting, sent.at(-1)],
      [1, '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"TOO_LARGE"}}'],
    );
    assert.match(dropped[0] ?? "", /its request of 900 bytes/);
  });

  for (const odd of ['"boom"', "{}", '{"code":"x","message":7}', "[]"]) {
    it(`fail decently when the source's error is ${odd}`, async () => {
      const { peer } = open();
      const answer = peer.request("m", NOTHING, { signal: NEVER });
      peer.receive(`{"jsonrpc":"2.0","id":1,"error":${odd}}`);
      assert.deepEqual((await failureOf(answer)).details.relayed, {
        code: -32603,
        message: "no message",
        data: undefined,
        text: undefined,
      });
    });
  }

  for (const [half, code, message] of [
    ['{"code":-32050}', -32050, "no message"],
    ['{"code":"x","message":"no milk"}', -32603, "no milk"],
  ] as const) {
    it(`keep what is right in ${half}, and nobody is handed its own text`, async () => {
      const { peer } = open();
      const answer = peer.request("m", NOTHING, { signal: NEVER });
      peer.receive(`{"jsonrpc":"2.0","id":1,"error":${half}}`);
      const { relayed } = (await failureOf(answer)).details;
      assert.deepEqual(relayed, { code, message, data: undefined, text: undefined });
    });
  }

  it("fail with what the link knows when they cannot be sent", async () => {
    const lost = makeError("SOURCE_UNAVAILABLE", { delivery: "not_sent" });
    const { peer } = open({ send: () => Promise.reject(lost) });
    assert.equal(await failureOf(peer.request("m", NOTHING, { signal: NEVER })), lost);
    assert.equal(peer.waiting, 0);
  });
});

describe("what nobody asked for is noise, and disturbs no one", () => {
  const noises = [
    '{"jsonrpc":"2.0","id":99,"result":1}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}',
    '{"jsonrpc":"2.0","id":"","result":1}',
    "Listening on port 80",
    "[]",
    "[".repeat(1_000),
  ];
  for (const text of noises) {
    it(text.slice(0, 60), () => {
      const { peer, noise } = open();
      void peer.request("m", NOTHING, { signal: NEVER });
      peer.receive(text);
      assert.deepEqual(noise, [text.slice(0, 500)]);
      assert.equal(peer.waiting, 1);
    });
  }

  it("a second answer to the same request", async () => {
    const { peer, noise } = open();
    const answer = peer.request("m", NOTHING, { signal: NEVER });
    for (const n of [1, 2]) peer.receive(`{"jsonrpc":"2.0","id":1,"result":${n}}`);
    assert.equal((await answer).text, "1");
    assert.equal(noise.length, 1);
  });
});

describe("cancelling", () => {
  it("tells the source under our id, at once frees the caller, and drops the late answer", async () => {
    const { peer, sent, noise } = open();
    const caller = new AbortController();
    const answer = peer.request("m", NOTHING, { signal: caller.signal });
    const reason = new ZaguanError("CANCELLED");
    caller.abort(reason);
    assert.equal(await failureOf(answer), reason);
    assert.equal(sent[1], '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    peer.receive('{"jsonrpc":"2.0","id":1,"result":1}');
    assert.deepEqual(noise, []);
    peer.receive('{"jsonrpc":"2.0","id":1,"result":1}');
    assert.equal(noise.length, 1, "the second one nobody ever asked for");
  });

  it("is never told of `initialize`", async () => {
    const { peer, sent } = open();
    const caller = new AbortController();
    const answer = peer.request("initialize", NOTHING, { signal: caller.signal, cancellable: false });
    caller.abort(new ZaguanError("CANCELLED"));
    await failureOf(answer);
    assert.equal(sent.length, 1);
  });

  it("before the start sends nothing", async () => {
    const { peer, sent } = open();
    await failureOf(peer.request("m", NOTHING, { signal: AbortSignal.abort(new ZaguanError("CANCELLED")) }));
    assert.deepEqual(sent, []);
  });

  it("ends the HTTP answer first, which takes nothing from the reason, nor from what the source is told", async () => {
    const sent: string[] = [];
    const { peer } = open({
      send: async (text, signal) => {
        sent.push(text);
        const cut = new ZaguanError("CANCELLED", { delivery: "unknown" });
        signal?.addEventListener("abort", () => peer.answerEnded(text, cut), { once: true });
      },
    });
    const caller = new AbortController();
    const answer = peer.request("m", NOTHING, { signal: caller.signal });
    const reason = makeError("DEADLINE_EXCEEDED");
    caller.abort(reason);
    assert.equal(await failureOf(answer), reason);
    assert.deepEqual(sent.slice(1), ['{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}']);
    assert.equal(peer.waiting, 0);
  });

  it("after the answer tells nobody", async () => {
    const { peer, sent } = open();
    const caller = new AbortController();
    const answer = peer.request("m", NOTHING, { signal: caller.signal });
    peer.receive('{"jsonrpc":"2.0","id":1,"result":1}');
    await answer;
    caller.abort();
    assert.equal(sent.length, 1);
  });
});

describe("progress", () => {
  it("reaches the request whose token it bears, until that is answered", () => {
    const { peer } = open();
    const seen: string[] = [];
    const onProgress = (progress: Payload) => seen.push(progress.text);
    void peer.request("other", NOTHING, { signal: NEVER, onProgress: () => assert.fail("not its progress") });
    void peer.request("m", NOTHING, { signal: NEVER, onProgress });
    const params = '{"progressToken":2,"progress":1,"total":3}';
    const text = `{"jsonrpc":"2.0","method":"notifications/progress","params":${params}}`;
    peer.receive(text);
    peer.receive('{"jsonrpc":"2.0","id":2,"result":1}');
    peer.receive(text);
    assert.deepEqual(seen, [params]);
  });
});

describe("what the source asks of us", () => {
  it("who asks on and on without taking the answers gets no more of them, until it does", async () => {
    const taken = Promise.withResolvers<void>();
    let sent = 0;
    const send = (): Promise<void> => {
      sent++;
      return taken.promise;
    };
    const { peer } = open({ send });
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    for (let n = 0; n < 1_000; n++) peer.receive(ping);
    assert.equal(sent, 128);
    taken.resolve();
    await taken.promise;
    peer.receive(ping);
    assert.equal(sent, 129);
  });

  it("a ping is answered under the source's id", () => {
    const { peer, sent } = open();
    peer.receive('{"jsonrpc":"2.0","id":"ping-1","method":"ping"}');
    assert.deepEqual(sent, ['{"jsonrpc":"2.0","id":"ping-1","result":{}}']);
  });

  it("anything else is an unknown method where nobody takes requests", async () => {
    const { peer, sent } = open();
    peer.receive('{"jsonrpc":"2.0","id":0,"method":"roots/list"}');
    await new Promise(setImmediate);
    const answer = JSON.parse(sent[0] ?? "") as { id: unknown; error: { code: number } };
    assert.deepEqual([answer.id, answer.error.code], [0, -32601]);
  });

  it("notifications are handed on", () => {
    const { peer, notified } = open();
    peer.receive('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    assert.deepEqual(notified, ["notifications/tools/list_changed"]);
  });
});

describe("what comes on the stream of one answer", () => {
  const LOG = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}';
  const QUESTION = '{"jsonrpc":"2.0","id":"q","method":"roots/list","params":{"a":1.0}}';

  it("belongs to that request: its log messages and its questions", async () => {
    const { peer, sent, notified } = open();
    const [first, second] = [listen(peer), listen(peer)];
    peer.receive(LOG, 2);
    peer.receive(QUESTION, 1);
    await new Promise(setImmediate);
    assert.deepEqual([first.heard, second.heard], [["roots/list"], ["notifications/message"]]);
    assert.deepEqual(notified, []);
    assert.equal(sent.at(-1), '{"jsonrpc":"2.0","id":"q","result":{"a":1.0}}');
  });

  it("is for everybody if it tells of changes", () => {
    const { peer, notified } = open();
    const { heard } = listen(peer);
    const changes = ["tools/list_changed", "prompts/list_changed", "resources/list_changed", "resources/updated"];
    for (const change of changes) peer.receive(`{"jsonrpc":"2.0","method":"notifications/${change}"}`, 1);
    assert.deepEqual(
      notified,
      changes.map((change) => `notifications/${change}`),
    );
    assert.deepEqual(heard, []);
  });

  it("is for whoever hears the rest where the request has no ear of its own", () => {
    const { peer, notified } = open();
    void peer.request("m", NOTHING, { signal: NEVER });
    peer.receive(LOG, 1);
    assert.deepEqual(notified, ["notifications/message"]);
  });

  it("reaches nobody else once that request is over", async () => {
    const { peer, sent, notified } = open({ onRequest: () => assert.fail("another was asked") });
    listen(peer);
    peer.receive('{"jsonrpc":"2.0","id":1,"result":1}');
    peer.receive(LOG, 1);
    peer.receive(QUESTION, 1);
    await new Promise(setImmediate);
    assert.deepEqual(notified, []);
    assert.equal((JSON.parse(sent.at(-1) ?? "") as { error: { message: string } }).error.message, "CANCELLED");
  });

  function listen(peer: RpcPeer) {
    const heard: string[] = [];
    const onRequest = async (method: string, params: Payload) => {
      heard.push(method);
      return params;
    };
    void peer.request("m", NOTHING, { signal: NEVER, onNotification: (method) => heard.push(method), onRequest });
    return { heard };
  }
});

describe("a question that the source takes back", () => {
  it("is not asked any longer and not answered", async () => {
    let wanted: CancelSignal | undefined;
    const { peer, sent, notified } = open({
      onRequest: (_method, _params, signal) => {
        wanted = signal;
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    peer.receive('{"jsonrpc":"2.0","id":7,"method":"elicitation/create"}');
    peer.receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}');
    await new Promise(setImmediate);
    assert.deepEqual([wanted?.aborted, sent, notified], [true, [], []]);
  });

  it("if it is none that we were asked, is told like anything else", () => {
    const { peer, notified } = open();
    peer.receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}');
    assert.deepEqual(notified, ["notifications/cancelled"]);
  });
});

describe("questions that wait for an answer", () => {
  const ask = (peer: RpcPeer, id: number) => peer.receive(`{"jsonrpc":"2.0","id":${id},"method":"elicitation/create"}`);

  for (const [which, idOf] of Object.entries({ "under ids of their own": (n: number) => n, "under one id": () => 7 })) {
    it(`${which} are 64 at most; the others are refused at once`, async () => {
      const { peer, sent, signals } = openAsked();
      for (let n = 0; n < 66; n++) ask(peer, idOf(n));
      const refused = sent.map((text) => JSON.parse(text) as { id: number; error: { code: number } });
      assert.deepEqual(
        refused.map(({ id, error }) => [id, error.code]),
        [64, 65].map((n) => [idOf(n), -32000]),
      );
      assert.equal(signals.length, 64);
      peer.receive(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${idOf(3)}}}`);
      ask(peer, 100);
      assert.equal(signals.length, 65, "there is room again");
      peer.receive('{"jsonrpc":"2.0","id":1,"method":"ping"}');
      assert.equal(sent.at(-1), '{"jsonrpc":"2.0","id":1,"result":{}}', "which is none of these");
    });
  }

  it("make room when they are answered", async () => {
    const { peer, sent } = open({ onRequest: async (_method, params) => params });
    for (let n = 0; n < 64; n++) ask(peer, n);
    await new Promise(setImmediate);
    ask(peer, 64);
    await new Promise(setImmediate);
    assert.equal(sent.length, 65);
    assert.ok(sent.every((text) => text.includes('"result"')));
  });

  it("are taken back when the conversation ends, and not answered", async () => {
    const { peer, sent, signals } = openAsked();
    for (const id of [1, 2, 2]) ask(peer, id);
    peer.end("it crashed");
    await new Promise(setImmediate);
    assert.deepEqual(
      signals.map(({ aborted, reason }) => [aborted, (reason as ZaguanError).code]),
      Array(3).fill([true, "CANCELLED"]),
    );
    assert.deepEqual(sent, []);
  });

  /** Who is asked answers only when the question is taken back. */
  function openAsked() {
    const signals: CancelSignal[] = [];
    const opened = open({
      onRequest: (_method, _params, signal) => {
        signals.push(signal);
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    return { ...opened, signals };
  }
});

it("headers of a request go to the link with it", () => {
  const seen: unknown[] = [];
  const { peer } = open({ send: async (...[, , headers]) => void seen.push(headers) });
  void peer.request("m", NOTHING, { signal: NEVER, headers: { "mcp-method": "m" } });
  peer.notify("n");
  assert.deepEqual(seen, [{ "mcp-method": "m" }, undefined]);
});

describe("the end", () => {
  it("of the conversation leaves the fate of what is under way unknown; what comes later provably never left", async () => {
    const { peer, sent } = open();
    const answer = peer.request("m", NOTHING, { signal: NEVER });
    peer.end("it crashed");
    const lost = await failureOf(answer);
    assert.deepEqual([lost.code, lost.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
    const late = await failureOf(peer.request("m", NOTHING, { signal: NEVER }));
    assert.deepEqual([late.code, late.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.equal(sent.length, 1);
  });

  it("of one HTTP answer without a result ends only the request it was for", async () => {
    const { peer, sent } = open();
    const first = peer.request("m", NOTHING, { signal: NEVER });
    void peer.request("m", NOTHING, { signal: NEVER });
    peer.answerEnded(sent[0] ?? "", undefined);
    assert.equal((await failureOf(first)).code, "OUTCOME_UNKNOWN");
    assert.equal(peer.waiting, 1);
  });

  it("of one HTTP answer by a failure passes the failure on", async () => {
    const { peer, sent } = open();
    const answer = peer.request("m", NOTHING, { signal: NEVER });
    const refused = makeError("SOURCE_UNAVAILABLE", { delivery: "not_sent" });
    peer.answerEnded(sent[0] ?? "", refused);
    peer.answerEnded(sent[0] ?? "", undefined);
    assert.equal(await failureOf(answer), refused);
  });
});

function open(overrides: Partial<PeerOptions> = {}) {
  const sent: string[] = [];
  const noise: string[] = [];
  const dropped: string[] = [];
  const notified: string[] = [];
  const peer = new RpcPeer({
    name: "tv",
    limits: { depth: 64, elements: 1_000 },
    send: async (text) => void sent.push(text),
    onNotification: (method) => notified.push(method),
    onNoise: (line) => noise.push(line),
    onDropped: (line) => dropped.push(line),
    ...overrides,
  });
  return { peer, sent, noise, notified, dropped };
}

async function failureOf(promise: Promise<unknown>): Promise<ZaguanError> {
  const error = await promise.then(
    () => assert.fail("it did not fail"),
    (cause) => cause,
  );
  assert.ok(error instanceof ZaguanError);
  return error;
}
