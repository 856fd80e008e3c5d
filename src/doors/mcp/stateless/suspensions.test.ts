import assert from "node:assert/strict";
import { afterEach, describe, it, mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ALICE, BOB } from "../../../../test/support/make-call.ts";
import { makeError } from "../../../../test/support/make-error.ts";
import { randomToken } from "../../../compose/system.ts";
import type { Caller, Principal } from "../../../core/call.ts";
import { localForDoors } from "../../../core/shared/for-doors.ts";
import type { ZaguanError } from "../../../errors.ts";
import type { CancelSignal } from "../../../light-abort.ts";
import { EMPTY_OBJECT, Payload } from "../../../protocol/json/payload.ts";
import { readMessage } from "../../../protocol/json-rpc/message.ts";
import { CLIENT_CAPABILITIES } from "../../../protocol/mcp/envelope.ts";
import type { SessionNode } from "../session-nodes.ts";
import type { Asker, RpcRequest } from "../target.ts";
import { progressSink } from "../tool-call.ts";
import type { SuspendedCall } from "./suspended-call.ts";
import { Suspensions, type SuspensionsSetup } from "./suspensions.ts";

const LAMP = { name: "lamp", arguments: { on: true } };
const ROOTS = { "ask-1": { roots: [] } };
afterEach(() => mock.timers.reset());

describe("a request that needs nothing", () => {
  it("is answered with what the work brought, and leaves nothing behind", async () => {
    const { waiting, carry } = open();
    const answer = carry(LAMP);
    answer.work.resolve(Payload.ofText('{ "n":1.0 }'));
    assert.equal(await answer.text, '{ "n":1.0 }');
    assert.equal(waiting.size, 0);
  });

  it("does not begin for a client that has left already", async () => {
    const { carry } = open();
    const answer = carry(LAMP, { signal: AbortSignal.abort() });
    await assert.rejects(answer.text, codeIs("CANCELLED"));
    assert.equal(answer.begun(), false);
  });
});

describe("a request of a client that declared nothing it could be asked", () => {
  const plain = { ...LAMP, _meta: { [CLIENT_CAPABILITIES]: {} } };

  it("goes straight to its work: with the client's own signal, and with whatever is said on the way", async () => {
    const { waiting, carry } = open();
    const heard: string[] = [];
    const { signal } = new AbortController();
    const answer = carry(plain, { signal, notify: (text) => heard.push(text) });
    assert.equal(answer.signal(), signal);
    answer.notify("said");
    answer.work.resolve(EMPTY_OBJECT);
    assert.deepEqual([await answer.text, heard, waiting.size], ["{}", ["said"], 0]);
  });

  it("is told what it would have to declare, if its source fails for want of an answer", async () => {
    const { carry } = open();
    for (const end of ["result", "error"] as const) {
      const answer = carry(plain);
      await assert.rejects(answer.ask(), codeIs("UNKNOWN_METHOD"));
      if (end === "result") answer.work.resolve(Payload.ofText('{"isError":true}'));
      else answer.work.reject(makeError("SOURCE_ERROR"));
      await assert.rejects(answer.text, codeIs("MISSING_CAPABILITY"));
    }
  });

  it("ends with its client", async () => {
    const { carry } = open();
    const left = new AbortController();
    const answer = carry(plain, { signal: left.signal });
    left.abort(makeError("CANCELLED"));
    await assert.rejects(answer.text, codeIs("CANCELLED"));
  });
});

describe("a request that needs more", () => {
  it("is answered with what it needs and a state, by which it goes on where it stopped", async () => {
    const { waiting, carry } = open();
    const first = carry(LAMP);
    const asked = first.ask();
    const { requestState, ...answer } = JSON.parse(await first.text) as Answered;
    assert.deepEqual(answer, {
      resultType: "input_required",
      inputRequests: { "ask-1": { method: "roots/list", params: {} } },
    });
    assert.match(requestState, /^zaguan\.[\w-]{8}\.[\w-]{32}$/);
    assert.equal(waiting.size, 1);
    const second = carry({ ...LAMP, inputResponses: ROOTS, requestState });
    assert.deepEqual((await asked).value, ROOTS["ask-1"]);
    first.work.resolve(Payload.ofText('"the result"'));
    assert.equal(await second.text, '"the result"');
    assert.deepEqual([second.begun(), waiting.size], [false, 0]);
  });

  it("gets another state every time", async () => {
    const { carry } = open();
    const states = new Set<string>();
    const first = carry(LAMP);
    void first.ask();
    let answer = JSON.parse(await first.text) as Answered;
    for (let n = 0; n < 3; n++) {
      states.add(answer.requestState);
      answer = JSON.parse(await carry({ ...LAMP, requestState: answer.requestState }).text) as Answered;
      assert.deepEqual(Object.keys(answer.inputRequests), ["ask-1"]);
    }
    assert.equal(states.size, 3);
  });

  it("may say other things of itself when it comes again, and in another order of answers", async () => {
    const { carry } = open();
    const first = carry({ ...LAMP, _meta: { a: 1 } });
    const { requestState } = await first.suspended();
    const second = carry({ requestState, inputResponses: ROOTS, _meta: { b: 2 }, ...LAMP });
    first.work.resolve(EMPTY_OBJECT);
    assert.equal(await second.text, "{}");
  });

  it("is told what the work says on whichever request waits for it, and progress under that one's token", async () => {
    const { carry } = open();
    const heard: string[] = [];
    const params = (token: string | undefined) => ({
      ...LAMP,
      _meta: token === undefined ? {} : { progressToken: token },
    });
    const progress = Payload.ofText('{"progressToken":77,"progress":1}');
    const first = carry(params("one"), { notify: (text) => heard.push(`first ${text}`) });
    first.onProgress()?.(progress);
    let { requestState } = await first.suspended();
    first.notify('{"method":"while away"}');
    for (const token of ["two", undefined, "three"]) {
      const next = carry({ ...params(token), requestState }, { notify: (text) => heard.push(`${token} ${text}`) });
      first.onProgress()?.(progress);
      first.notify('{"method":"said"}');
      ({ requestState } = JSON.parse(await next.text) as Answered);
    }
    const told = (token: string): string =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${token}","progress":1}}`;
    assert.deepEqual(heard, [
      `first ${told("one")}`,
      `two ${told("two")}`,
      'two {"method":"said"}',
      'undefined {"method":"said"}',
      `three ${told("three")}`,
      'three {"method":"said"}',
    ]);
  });
});

describe("a state", () => {
  const others: readonly (readonly [what: string, Partial<Asked>])[] = [
    ["of another principal", { principal: BOB }],
    ["of another method", { method: "prompts/get" }],
    ["of other arguments", { params: { ...LAMP, arguments: { on: false } } }],
    ["of a request with more to it", { params: { ...LAMP, task: {} } }],
    ["of a request with less to it", { params: { name: "lamp" } }],
    ["of another server", { scope: "other" }],
  ];
  for (const [what, other] of others) {
    it(`${what} is refused, and still good for its own`, async () => {
      const { waiting, carry } = open();
      const first = carry(LAMP);
      const { requestState } = await first.suspended();
      const params = { ...(other.params ?? LAMP), requestState, inputResponses: ROOTS };
      const wrong = carry(params, other);
      await assert.rejects(wrong.text, codeIs("INVALID_PARAMS"));
      assert.deepEqual([wrong.begun(), waiting.size], [false, 1]);
      const right = carry({ ...LAMP, requestState });
      first.work.resolve(EMPTY_OBJECT);
      assert.equal(await right.text, "{}");
    });
  }

  it("that was used is refused, whether the work is over or not", async () => {
    const { carry } = open();
    const first = carry(LAMP);
    const { requestState } = await first.suspended();
    const again = { ...LAMP, requestState, inputResponses: ROOTS };
    const second = carry(again);
    await assert.rejects(carry(again).text, codeIs("INVALID_PARAMS"));
    first.work.resolve(EMPTY_OBJECT);
    await second.text;
    const third = carry(again);
    await assert.rejects(third.text, codeIs("INVALID_PARAMS"));
    assert.equal(third.begun(), false);
  });

  it("that we never gave is refused if it looks like ours, and left to the source if it does not", async () => {
    const { carry } = open();
    const { requestState } = await carry(LAMP).suspended();
    for (const tampered of [`${requestState}x`, requestState.slice(0, -1), `${requestState}\u0000`]) {
      const wrong = carry({ ...LAMP, requestState: tampered });
      await assert.rejects(wrong.text, codeIs("INVALID_PARAMS"));
      assert.equal(wrong.begun(), false);
    }
    for (const requestState of ["the source's own", "zaguan.of.another hub"]) {
      const foreign = carry({ ...LAMP, requestState });
      foreign.work.resolve(EMPTY_OBJECT);
      assert.equal(await foreign.text, "{}");
      assert.equal(foreign.begun(), true);
    }
  });
});

describe("a state that another node gave", () => {
  it("goes on there, under its own door, with what was asked here; ours goes on here", async () => {
    const asked: unknown[] = [];
    const sessionNodes: SuspensionsSetup["sessionNodes"] = {
      resumeWith: (door) => void asked.push(door),
      issuerOf: (state) => {
        const resume: SessionNode["resume"] = async (door, back, _signal, notify) => {
          asked.push(door, back.state, back.account, back.inputResponses);
          notify('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}');
          return "there";
        };
        return state.endsWith("far") ? ({ resume } as SessionNode) : undefined;
      },
    };
    const { carry } = open(10, sessionNodes);
    const first = carry(LAMP);
    const { requestState } = await first.suspended();
    const heard: string[] = [];
    const _meta = { progressToken: "mine" };
    const far = { ...LAMP, requestState: `${requestState}far`, inputResponses: ROOTS, _meta };
    assert.equal(await carry(far, { notify: (message) => heard.push(message) }).text, "there");
    assert.deepEqual(asked, ["stdio", "stdio", far.requestState, ALICE.id, JSON.stringify(ROOTS)]);
    assert.match(heard.join(), /"progressToken":"mine"/);
    const near = carry({ ...LAMP, requestState, inputResponses: ROOTS });
    first.work.resolve(EMPTY_OBJECT);
    assert.equal(await near.text, "{}");
  });
});

describe("a client that is late", () => {
  it("finds the result that came meanwhile, for a minute", async () => {
    const { waiting, carry } = open();
    const first = carry(LAMP);
    const { requestState } = await first.suspended();
    mock.timers.enable({ apis: ["setTimeout"] });
    first.work.resolve(Payload.ofText('"kept"'));
    await turn();
    mock.timers.tick(59_999);
    assert.equal(waiting.size, 1);
    assert.equal(await carry({ ...LAMP, requestState }).text, '"kept"');
  });

  it("finds the failure that came meanwhile, too", async () => {
    const { carry } = open();
    const first = carry(LAMP);
    const { requestState } = await first.suspended();
    first.work.reject(makeError("DEADLINE_EXCEEDED"));
    await turn();
    await assert.rejects(carry({ ...LAMP, requestState }).text, codeIs("DEADLINE_EXCEEDED"));
  });

  it("finds nothing after that minute", async () => {
    const { waiting, carry } = open();
    const first = carry(LAMP);
    const { requestState } = await first.suspended();
    mock.timers.enable({ apis: ["setTimeout"] });
    first.work.resolve(EMPTY_OBJECT);
    await turn();
    mock.timers.tick(60_000);
    assert.equal(waiting.size, 0);
    await assert.rejects(carry({ ...LAMP, requestState }).text, codeIs("INVALID_PARAMS"));
  });
});

describe("many that wait", () => {
  it("are too many at the limit: the next is ended and told when to try again", async () => {
    const { waiting, carry } = open(2);
    const kept = await carry(LAMP).suspended();
    await carry(LAMP).suspended();
    const third = carry(LAMP);
    third.ask().catch(() => {});
    await assert.rejects(third.text, (error: ZaguanError) => {
      assert.deepEqual([error.code, error.details.retryAfterMs], ["NO_CAPACITY", 5_000]);
      return true;
    });
    assert.deepEqual([third.signal().aborted, waiting.size], [true, 2]);
    const again = carry({ ...LAMP, requestState: kept.requestState });
    assert.equal((JSON.parse(await again.text) as Answered).resultType, "input_required", "its place is its own");
  });

  it("are no more of one principal that acts as several agents", async () => {
    const { carry } = open(100);
    const agent = (id: string): Principal => ({ ...ALICE, id, account: ALICE.id });
    for (let time = 0; time < 32; time++) await carry(LAMP, { principal: agent(`agent:${time}`) }).suspended();
    const next = carry(LAMP);
    next.ask().catch(() => {});
    await assert.rejects(next.text, codeIs("NO_CAPACITY"));
    await carry(LAMP, { principal: BOB }).suspended();
  });

  it("are ended when we close", async () => {
    const { suspensions, carry } = open();
    const calls = [carry(LAMP), carry(LAMP)];
    for (const call of calls) await call.suspended();
    suspensions.close();
    assert.deepEqual(
      calls.map(({ signal }) => signal().aborted),
      [true, true],
    );
  });
});

interface Answered {
  readonly resultType: string;
  readonly inputRequests: Record<string, unknown>;
  readonly requestState: string;
}

interface Asked {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly principal: Principal;
  readonly scope: string;
  readonly signal: CancelSignal;
  readonly notify: (message: string) => void;
}

function open(limit = 10, sessionNodes?: SuspensionsSetup["sessionNodes"]) {
  const waiting = localForDoors(randomToken).openSuspended<SuspendedCall>("stdio");
  const suspensions = new Suspensions({ limit: () => limit, suspended: waiting, sessionNodes });
  const carry = (params: Asked["params"], asked: Partial<Asked> = {}) => carryOne(suspensions, params, asked);
  return { waiting, suspensions, carry };
}

/** One request, with its work in the test's hands. */
function carryOne(suspensions: Suspensions, params: Asked["params"], asked: Partial<Asked>) {
  const { method = "tools/call", principal = ALICE, scope = "house", notify = () => {} } = asked;
  const { signal = new AbortController().signal } = asked;
  const request = requestOf(method, params);
  const context: Asker = { principal, language: "en", signal, notify };
  const work = Promise.withResolvers<Payload>();
  let begun: { caller: Caller; signal: CancelSignal; notify: (message: string) => void } | undefined;
  const begin = (caller: Caller, signal: CancelSignal, notify: (message: string) => void): Promise<Payload> => {
    begun = { caller, signal, notify };
    signal.addEventListener("abort", () => work.reject(signal.reason));
    return work.promise;
  };
  const text = suspensions.carry(request, context, begin, scope);
  const running = () => begun ?? assert.fail("not begun");
  const ask = () => running().caller.request("roots/list", EMPTY_OBJECT, running().signal);
  return {
    text,
    work,
    ask,
    begun: () => begun !== undefined,
    signal: () => running().signal,
    notify: (message: string) => running().notify(message),
    onProgress: () => progressSink(request, (message) => running().notify(message)),
    /** Its source asks something, so that it is answered with a state. */
    suspended: async (): Promise<Answered> => {
      ask().catch(() => {});
      return JSON.parse(await text) as Answered;
    },
  };
}

function requestOf(method: string, params: Asked["params"]): RpcRequest {
  const meta = { [CLIENT_CAPABILITIES]: { roots: {} }, ...(params["_meta"] as object | undefined) };
  const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } };
  const call = readMessage(JSON.stringify(message), { depth: 64, elements: 1_000 });
  assert.ok(call.kind === "call" && call.id !== undefined);
  return call as RpcRequest;
}

function codeIs(code: string): (error: ZaguanError) => boolean {
  return (error) => error.code === code;
}
