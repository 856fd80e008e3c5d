import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { watch } from "../../../../test/support/make-call.ts";
import { LOCAL } from "../../../../test/support/open-doors.ts";
import type { ZaguanError } from "../../../errors.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { readMessage } from "../../../protocol/json-rpc/message.ts";
import type { Asker, RpcRequest } from "../target.ts";
import { type Filter, Listeners, type Origin } from "./listeners.ts";

const ID = "io.modelcontextprotocol/subscriptionId";
const ALL = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const RESULT = `{"resultType":"complete","_meta":{"${ID}":"s 1"}}`;

describe("a client that listens", () => {
  it("is told first what it will hear: as much of its wishes as can be honoured", async () => {
    const honoured = { toolsListChanged: true, resourceSubscriptions: ["a:b"] };
    const { listen, heard, wishes } = open(honoured);
    void listen({ ...ALL, resourceSubscriptions: ["a:b", "c:d"], taskIds: ["t"] });
    await turn();
    assert.deepEqual(wishes, [{ ...ALL, resourceSubscriptions: ["a:b", "c:d"], taskIds: ["t"] }]);
    const params = `{"_meta":{"${ID}":"s 1"},"notifications":${JSON.stringify(honoured)}}`;
    assert.deepEqual(heard, [
      `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":${params}}`,
    ]);
  });

  it("hears what it was promised and nothing else", async () => {
    const { listen, said, say } = open({ promptsListChanged: true, resourceSubscriptions: ["a:b"] });
    void listen(ALL);
    await turn();
    for (const list of ["tools", "prompts", "resources"]) say(`notifications/${list}/list_changed`);
    for (const uri of ["a:b", "a:b/c", "c:d"]) say("notifications/resources/updated", JSON.stringify({ uri }));
    for (const method of ["notifications/message", "notifications/progress", "constructor"]) say(method);
    assert.deepEqual(
      said().map(({ method, params }) => [method, params["uri"]]),
      [
        ["notifications/prompts/list_changed", undefined],
        ["notifications/resources/updated", "a:b"],
      ],
    );
  });

  it("hears it with the id of its request, and all else as the source wrote it", async () => {
    const { listen, heard, say } = open({ resourceSubscriptions: ["a:b"], toolsListChanged: true });
    void listen(ALL);
    await turn();
    const texts = [
      ['{ "uri":"a:b" ,"n":1.0}', `{"_meta":{"${ID}":"s 1"}, "uri":"a:b" ,"n":1.0}`],
      ['{"uri":"a:b","_meta":{ "x":1.0 }}', `{"uri":"a:b","_meta":{"${ID}":"s 1", "x":1.0 }}`],
      [`{"uri":"a:b","_meta":{"${ID}":7,"x":1}}`, `{"uri":"a:b","_meta":{"${ID}":"s 1","x":1}}`],
      ['{"uri":"a:b","_meta":null}', `{"uri":"a:b","_meta":{"${ID}":"s 1"}}`],
    ];
    for (const [written] of texts) say("notifications/resources/updated", written);
    assert.deepEqual(
      heard.slice(1).map((text) => text.slice(text.indexOf('"params":') + 9, -1)),
      texts.map(([, expected]) => expected),
    );
  });

  it("hears of a change that comes with odd params, too", async () => {
    const { listen, said, say } = open({ toolsListChanged: true });
    void listen(ALL);
    await turn();
    for (const odd of ["[]", '["a"]', "{}"]) say("notifications/tools/list_changed", odd);
    assert.deepEqual(
      said().map(({ params }) => params),
      [1, 2, 3].map(() => ({ _meta: { [ID]: "s 1" } })),
    );
  });

  it("hears of a change that came while its wishes were being seen to, after the promise", async () => {
    const { listen, said, say, honour } = open({ toolsListChanged: true }, true);
    void listen(ALL);
    await turn();
    say("notifications/tools/list_changed");
    say("notifications/prompts/list_changed");
    assert.deepEqual(said(true), []);
    honour.resolve();
    await turn();
    assert.deepEqual(
      said(true).map(({ method }) => method),
      ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"],
    );
  });
});

describe("listening ends", () => {
  it("when the client leaves: nothing is heard and nothing held any more", async () => {
    const { listen, heard, say, left, released, hearers, listeners } = open({ toolsListChanged: true });
    const answer = listen(ALL);
    await turn();
    assert.deepEqual([listeners.size, hearers.size, released()], [1, 1, 0]);
    left.abort();
    assert.equal(await answer, RESULT);
    say("notifications/tools/list_changed");
    assert.deepEqual([listeners.size, hearers.size, released(), heard.length], [0, 0, 1, 1]);
  });

  it("when the client leaves while its wishes are being seen to", async () => {
    const { listen, left, honour, released, hearers, listeners } = open({ toolsListChanged: true }, true);
    const answer = listen(ALL);
    await turn();
    left.abort();
    honour.resolve();
    await answer;
    assert.deepEqual([listeners.size, hearers.size, released()], [0, 0, 1]);
  });

  it("at once where nothing can be promised", async () => {
    const { listen, released, said } = open({});
    assert.equal(await listen(ALL), RESULT);
    assert.deepEqual([said(true)[0]?.params["notifications"], released()], [{}, 1]);
  });

  it("in good order when we go, for everybody", async () => {
    const { listen, listeners, released, hearers } = open({ toolsListChanged: true });
    const answers = [listen(ALL), listen(ALL)];
    await turn();
    listeners.close();
    assert.deepEqual(await Promise.all(answers), [RESULT, RESULT]);
    assert.deepEqual([listeners.size, hearers.size, released()], [0, 0, 2]);
  });

  it("when we go while its wishes are being seen to", async () => {
    const { listen, listeners, honour } = open({ toolsListChanged: true }, true);
    const answer = listen(ALL);
    await turn();
    listeners.close();
    honour.resolve();
    assert.equal(await answer, RESULT);
  });

  it("with the failure, if its wishes cannot be seen to, and makes room", async () => {
    const { listen, listeners, honour, hearers } = open({}, true);
    const answer = listen(ALL);
    await turn();
    honour.reject(new Error("gone"));
    await assert.rejects(answer, /gone/);
    assert.deepEqual([listeners.size, hearers.size], [0, 0]);
  });
});

describe("listening is refused", () => {
  for (const odd of [undefined, null, [], "all", true]) {
    it(`with ${JSON.stringify(odd)} for wishes`, async () => {
      const { listen, wishes } = open({});
      await assert.rejects(listen(odd), (error: ZaguanError) => error.code === "INVALID_PARAMS");
      assert.deepEqual(wishes, []);
    });
  }

  it("where as many listen as may, until one has left", async () => {
    const { listen, left } = open({ toolsListChanged: true }, false, 2);
    const stays = [watch(listen(ALL)), watch(listen(ALL))];
    await assert.rejects(listen(ALL), (error: ZaguanError) => {
      assert.deepEqual([error.code, error.details.retryAfterMs], ["NO_CAPACITY", 30_000]);
      return true;
    });
    left.abort();
    await turn();
    assert.deepEqual(
      stays.map(({ state }) => state),
      ["done", "done"],
    );
    assert.equal(await listen(ALL), RESULT);
  });
});

describe("one principal that listens very often", () => {
  it("leaves places for others", async () => {
    const { listen, listeners } = open({ toolsListChanged: true }, false, 10);
    for (let time = 0; time < 8; time++) void listen(ALL);
    await assert.rejects(listen(ALL), (error: ZaguanError) => error.code === "NO_CAPACITY");
    void listen(ALL, { ...LOCAL, id: "another" });
    await turn();
    assert.equal(listeners.size, 9);
  });

  it("leaves places for others, also where it does so as several agents", async () => {
    const { listen } = open({ toolsListChanged: true }, false, 10);
    for (let time = 0; time < 8; time++) void listen(ALL, { ...LOCAL, id: `agent:${time}`, account: LOCAL.id });
    await assert.rejects(listen(ALL), (error: ZaguanError) => error.code === "NO_CAPACITY");
  });
});

interface Said {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Listeners of one origin that honours just this, at once or when it is told to. */
function open(honoured: Filter, isSlow = false, limit = 10) {
  const listeners = new Listeners(() => limit);
  const wishes: Filter[] = [];
  const heard: string[] = [];
  const hearers = new Set<(method: string, params: Payload) => void>();
  const honour = Promise.withResolvers<void>();
  const left = new AbortController();
  let released = 0;
  if (!isSlow) honour.resolve();
  const origin: Origin = {
    honour: async (filter) => {
      wishes.push(filter);
      await honour.promise;
      return { honoured, release: () => released++ };
    },
    onNotification: (listener) => {
      hearers.add(listener);
      return () => hearers.delete(listener);
    },
  };
  const notify = (message: string): void => void heard.push(message);
  const context: Asker = { principal: LOCAL, language: "en", signal: left.signal, notify };
  return {
    listeners,
    wishes,
    heard,
    hearers,
    honour,
    left,
    released: () => released,
    listen: (notifications: unknown, principal = LOCAL) =>
      listeners.listen(requestOf(notifications), { ...context, principal }, origin),
    say: (method: string, params = "{}") => {
      for (const hearer of hearers) hearer(method, Payload.ofText(params));
    },
    /** What was heard, without the promise that comes first. */
    said: (withPromise = false) => heard.slice(withPromise ? 0 : 1).map((text) => JSON.parse(text) as Said),
  };
}

function requestOf(notifications: unknown): RpcRequest {
  const message = { jsonrpc: "2.0", id: "s 1", method: "subscriptions/listen", params: { notifications } };
  return readMessage(JSON.stringify(message), { depth: 64, elements: 1_000 }) as RpcRequest;
}
