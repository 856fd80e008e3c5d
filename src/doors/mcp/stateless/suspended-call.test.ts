import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { watch } from "../../../../test/support/make-call.ts";
import { makeError } from "../../../../test/support/make-error.ts";
import { ZaguanError } from "../../../errors.ts";
import type { CancelSignal } from "../../../light-abort.ts";
import { EMPTY_OBJECT, Payload } from "../../../protocol/json/payload.ts";
import { type RpcCall, readMessage } from "../../../protocol/json-rpc/message.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL } from "../../../protocol/mcp/envelope.ts";
import { introductionOf } from "./stateless-caller.ts";
import { SuspendedCall, type Turn } from "./suspended-call.ts";

const DONE = Payload.ofText('{"content":[]}');
const FAILED = Payload.ofText('{"content":[],"isError":true}');
const ALL = { sampling: {}, elicitation: {}, roots: {} };
const { signal: stays } = new AbortController();

describe("what a source may know of the client", () => {
  it("is what the request says of it", () => {
    const capabilities = { elicitation: { form: {} } };
    const info = { name: "c", version: "1", later: true };
    const call = callOf({ [CLIENT_CAPABILITIES]: capabilities, [CLIENT_INFO]: info, [LOG_LEVEL]: "warning" });
    assert.deepEqual([call.capabilities.value, call.info?.value, call.logLevel], [capabilities, info, "warning"]);
    assert.deepEqual([call.canBeAsked, call.comesAgain], [true, true]);
  });

  it("is little of one that says little, or nonsense", () => {
    for (const meta of [{}, { [CLIENT_CAPABILITIES]: null, [CLIENT_INFO]: "me", [LOG_LEVEL]: "loud" }]) {
      const call = callOf(meta);
      assert.deepEqual([call.capabilities.text, call.info, call.logLevel], ["{}", undefined, undefined]);
      assert.equal(call.canBeAsked, false);
    }
  });

  it("logs from the level it named on, and none if it named none", () => {
    const levels = ["info", "warning", "error"];
    const wanted = (meta: object): unknown[] => levels.filter((level) => callOf(meta).wantsLog(level));
    assert.deepEqual(wanted({ [LOG_LEVEL]: "warning" }), ["warning", "error"]);
    assert.deepEqual(wanted({}), []);
  });
});

describe("a turn", () => {
  it("that brings the result is the last one", async () => {
    const { call, work } = begin();
    work.resolve(DONE);
    assert.deepEqual(await call.turn(stays), { kind: "done", result: DONE });
  });

  it("that fails tells the failure as it is", async () => {
    const { call, work } = begin();
    const failure = makeError("SOURCE_UNAVAILABLE");
    work.reject(failure);
    await assert.rejects(call.turn(stays), (error) => error === failure);
  });

  it("in which the source asks tells the question, with its params as they were written", async () => {
    const { call, ask } = begin();
    const params = '{ "message":"sure?" ,"n":1.0 }';
    ask("elicitation/create", params);
    assert.deepEqual(await call.turn(stays), asks(`{"ask-1":{"method":"elicitation/create","params":${params}}}`));
  });

  it("tells several questions together", async () => {
    const { call, ask } = begin();
    for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"]) ask(method);
    assert.deepEqual(Object.keys(questionsIn(await call.turn(stays))), ["ask-1", "ask-2", "ask-3"]);
  });

  it("goes on with what the client answered, as it was written, and brings the result", async () => {
    const { call, work, ask } = begin();
    const asked = ask("elicitation/create");
    await call.turn(stays);
    const answer = '{ "action":"accept","content":{"n":1.50} }';
    call.take(`{"ask-1": ${answer}}`);
    assert.equal((await asked).text, answer);
    work.resolve(DONE);
    assert.equal((await call.turn(stays)).kind, "done");
  });

  it("asks again for what the client left out, and passes over what nobody asked", async () => {
    const { call, ask } = begin();
    const asked = [ask("elicitation/create"), ask("roots/list")];
    await call.turn(stays);
    call.take('{"ask-2":{"roots":[]},"ask-9":{},"constructor":{}}');
    assert.equal((await asked[1])?.text, '{"roots":[]}');
    assert.deepEqual(Object.keys(questionsIn(await call.turn(stays))), ["ask-1"]);
    for (const nothing of [undefined, "{}", "[]", '{"ask-1":null}', '{"ask-1":"yes"}']) {
      call.take(nothing);
      assert.deepEqual(Object.keys(questionsIn(await call.turn(stays))), ["ask-1"]);
    }
  });

  it("may come as often as the source asks, each question under a name of its own", async () => {
    const { call, work, ask } = begin();
    for (const n of [1, 2, 3]) {
      const asked = ask("elicitation/create");
      assert.deepEqual(Object.keys(questionsIn(await call.turn(stays))), [`ask-${n}`]);
      call.take(`{"ask-${n}":{"n":${n}}}`);
      assert.deepEqual((await asked).value, { n });
    }
    work.resolve(DONE);
    assert.equal((await call.turn(stays)).kind, "done");
  });

  it("finds the result that came while the client was away, and the question that was asked meanwhile", async () => {
    const { call, work, ask } = begin();
    ask("roots/list");
    await call.turn(stays);
    ask("elicitation/create");
    assert.deepEqual(Object.keys(questionsIn(await call.turn(stays))), ["ask-1", "ask-2"]);
    work.resolve(DONE);
    await turn();
    assert.deepEqual(await call.turn(stays), { kind: "done", result: DONE });
  });

  it("does not tell a question that the source has taken back", async () => {
    const { call, work } = begin();
    const back = new AbortController();
    const asked = call.request("roots/list", EMPTY_OBJECT, back.signal);
    back.abort();
    await assert.rejects(asked, isCancelled);
    const waiting = watch(call.turn(stays));
    work.resolve(DONE);
    await turn();
    assert.equal(waiting.value?.kind, "done");
  });
});

describe("a client that leaves", () => {
  it("while it waits ends the work", async () => {
    const { call, signal } = begin();
    const left = new AbortController();
    const waiting = assert.rejects(call.turn(left.signal), isCancelled);
    left.abort();
    await waiting;
    assert.equal(signal().aborted, true);
  });

  it("before it waits has left all the same", async () => {
    const { call, signal } = begin();
    await assert.rejects(call.turn(AbortSignal.abort()), isCancelled);
    assert.equal(signal().aborted, true);
  });

  it("after it was told what is needed ends nothing", async () => {
    const { call, signal, ask } = begin();
    const left = new AbortController();
    ask("roots/list");
    await call.turn(left.signal);
    left.abort();
    assert.equal(signal().aborted, false);
  });

  it("for good is not asked any more", async () => {
    const { call, signal } = begin();
    call.abandon();
    await assert.rejects(call.request("roots/list", EMPTY_OBJECT, signal()), isCancelled);
  });
});

describe("a client that cannot be asked", () => {
  const refused = (error: ZaguanError): boolean => error.details.relayed?.code === -32601;

  it("is not: the source is refused, and may do without", async () => {
    const { call, work, ask } = begin({ roots: {} });
    await assert.rejects(ask("elicitation/create"), refused);
    work.resolve(DONE);
    assert.deepEqual(await call.turn(stays), { kind: "done", result: DONE });
  });

  it("is told what it must declare, if the source could not do without", async () => {
    const failures = [
      (work: Work) => work.resolve(FAILED),
      (work: Work) => work.reject(new ZaguanError("SOURCE_ERROR", { relayed: { code: -32603, message: "no" } })),
    ];
    for (const fail of failures) {
      const { call, work, ask } = begin({ roots: {} });
      for (const method of ["elicitation/create", "sampling/createMessage", "elicitation/create"]) {
        await assert.rejects(ask(method), refused);
      }
      fail(work);
      await assert.rejects(call.turn(stays), (error: ZaguanError) => {
        assert.deepEqual(
          [error.code, error.details.params],
          ["MISSING_CAPABILITY", { capability: "elicitation, sampling" }],
        );
        assert.deepEqual(error.details.data, { requiredCapabilities: { elicitation: {}, sampling: {} } });
        return true;
      });
    }
  });

  it("hears of other failures as they are, and of its source's own where nothing was missing", async () => {
    const { call, work, ask } = begin({});
    await assert.rejects(ask("roots/list"), refused);
    work.reject(makeError("DEADLINE_EXCEEDED"));
    await assert.rejects(call.turn(stays), (error: ZaguanError) => error.code === "DEADLINE_EXCEEDED");
    const other = begin({ roots: {} });
    other.work.resolve(FAILED);
    assert.equal((await other.call.turn(stays)).kind, "done");
  });

  it("can declare nothing that would help with what clients are never asked", async () => {
    const { call, work, ask } = begin();
    await assert.rejects(ask("tools/call"), refused);
    work.resolve(FAILED);
    assert.equal((await call.turn(stays)).kind, "done");
  });
});

describe("what is said meanwhile", () => {
  it("goes to whoever is there, and to nobody while the client is away", () => {
    const { call } = begin();
    const heard: string[] = [];
    const say = (message: string): void => call.say(message);
    const leave = call.listen((message) => heard.push(`first ${message}`));
    say("a");
    leave();
    say("b");
    call.listen((message) => heard.push(`second ${message}`));
    say("c");
    assert.deepEqual(heard, ["first a", "second c"]);
  });
});

describe("the work", () => {
  it("is over when it has ended, well or badly", async () => {
    for (const end of [(work: Work) => work.resolve(DONE), (work: Work) => work.reject(new Error("no"))]) {
      const { call, work } = begin();
      const settled = watch(call.settled);
      await turn();
      assert.equal(settled.state, "pending");
      end(work);
      await turn();
      assert.equal(settled.state, "done");
    }
  });
});

type Work = PromiseWithResolvers<Payload>;

function callOf(meta: object): SuspendedCall {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { _meta: meta } };
  const call = readMessage(JSON.stringify(message), { depth: 64, elements: 1_000 });
  return new SuspendedCall(introductionOf(call as RpcCall), "key:ana");
}

/** A call whose work is in the test's hands; it heeds its signal, as the hub does. */
function begin(capabilities: object = ALL) {
  const call = callOf({ [CLIENT_CAPABILITIES]: capabilities });
  const work: Work = Promise.withResolvers();
  let given: CancelSignal | undefined;
  call.start((signal) => {
    given = signal;
    signal.addEventListener("abort", () => work.reject(signal.reason));
    return work.promise;
  });
  const signal = (): CancelSignal => given ?? assert.fail("not begun");
  const ask = (method: string, params = "{}"): Promise<Payload> => {
    const asked = call.request(method, Payload.ofText(params), signal());
    asked.catch(() => {});
    return asked;
  };
  return { call, work, signal, ask };
}

function asks(inputRequests: string): Turn {
  return { kind: "asks", inputRequests };
}

function questionsIn(turn: Turn): Record<string, unknown> {
  assert.equal(turn.kind, "asks");
  return JSON.parse((turn as Extract<Turn, { kind: "asks" }>).inputRequests);
}

function isCancelled(error: ZaguanError): boolean {
  return error.code === "CANCELLED";
}
