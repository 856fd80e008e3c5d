/** `/servers/{name}/mcp` for clients of the stateless revision, with a server of the older ones that asks back. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type Answered, type OpenDoors, openDoors } from "../../../../test/support/open-doors.ts";
import { until } from "../../../../test/support/processes.ts";
import { askStateless, statelessRequest } from "../../../../test/support/stateless-client.ts";
import type { Caller } from "../../../core/call.ts";
import { toZaguanError, ZaguanError } from "../../../errors.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { oneServer } from "../../streamable-http.ts";

const PATH = "/servers/house/mcp";
const CALL = { method: "tools/call", params: { name: "lamp", arguments: { n: 1 } } };
const CAN = { elicitation: {}, sampling: {}, roots: {} };
const QUESTION = '{ "message":"sure?","requestedSchema":{"type":"object"} }';

let doors: OpenDoors;
beforeEach(async () => {
  doors = await openDoors([oneServer], { limits: { sessions: 2 } });
  doors.gateway.hello = Payload.ofText('{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}');
});
afterEach(() => doors.close());

describe("a server that asks back in the middle of its work", () => {
  it("is answered by the client's next request, and goes on where it was", async () => {
    behave(async (ask) => Payload.ofText(`{"content":[],"heard":${(await ask("elicitation/create", QUESTION)).text}}`));
    const first = await call();
    assert.equal(first.status, 200);
    const { resultType, inputRequests, requestState } = first.json.result as unknown as InputRequired;
    assert.equal(resultType, "input_required");
    assert.ok(first.text.includes(`"inputRequests":{"ask-1":{"method":"elicitation/create","params":${QUESTION}}}`));
    assert.deepEqual([Object.keys(inputRequests), typeof requestState], [["ask-1"], "string"]);
    const accepted = { action: "accept", content: { n: 1 } };
    const second = await call({ inputResponses: { "ask-1": accepted }, requestState }, "2");
    assert.deepEqual([second.status, second.json["id"]], [200, 2]);
    assert.deepEqual([second.json.result?.["resultType"], second.json.result?.["heard"]], ["complete", accepted]);
    assert.equal(doors.gateway.calls.length, 1, "it ran once");
  });

  for (const [method, params] of Object.entries({ "prompts/get": { name: "p" }, "resources/read": { uri: "a:b" } })) {
    it(`may do so in ${method}, too`, async () => {
      doors.gateway.passAnswer = async ({ caller, signal }) => {
        return (caller as Caller).request("roots/list", Payload.ofText("{}"), signal as AbortSignal);
      };
      const { json } = await ask({ method, params });
      const { requestState } = json.result as unknown as InputRequired;
      const answers = { inputResponses: { "ask-1": { roots: [] } }, requestState };
      const second = await ask({ method, params: { ...params, ...answers } });
      assert.deepEqual([second.json.result?.["resultType"], second.json.result?.["roots"]], ["complete", []]);
      assert.equal(doors.gateway.passed.length, 1);
    });
  }

  it("gets several answers at once, and is asked for the one that is missing again", async () => {
    behave(async (ask) => {
      const all = await Promise.all(
        ["elicitation/create", "sampling/createMessage", "roots/list"].map((each) => ask(each)),
      );
      return Payload.ofValue({ heard: all.map(({ value }) => value) });
    });
    let { requestState, inputRequests } = inputRequired(await call());
    assert.deepEqual(
      Object.values(inputRequests).map(({ method }) => method),
      ["elicitation/create", "sampling/createMessage", "roots/list"],
    );
    const some = { "ask-1": { a: 1 }, "ask-3": { c: 3 }, "ask-7": { never: "asked" } };
    ({ requestState, inputRequests } = inputRequired(await call({ inputResponses: some, requestState })));
    assert.deepEqual(Object.keys(inputRequests), ["ask-2"]);
    ({ requestState, inputRequests } = inputRequired(await call({ requestState })));
    assert.deepEqual(Object.keys(inputRequests), ["ask-2"]);
    const last = await call({ inputResponses: { "ask-2": { b: 2 } }, requestState });
    assert.deepEqual(last.json.result?.["heard"], [{ a: 1 }, { b: 2 }, { c: 3 }]);
  });

  it("may ask in as many rounds as it likes", async () => {
    behave(async (ask) => {
      const heard = [];
      for (let n = 0; n < 4; n++) heard.push((await ask("elicitation/create")).value);
      return Payload.ofValue({ heard });
    });
    let answer = await call();
    for (let n = 1; n <= 4; n++) {
      const { requestState, inputRequests } = inputRequired(answer);
      assert.deepEqual(Object.keys(inputRequests), [`ask-${n}`]);
      answer = await call({ inputResponses: { [`ask-${n}`]: { n } }, requestState });
    }
    assert.deepEqual(answer.json.result?.["heard"], [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
    assert.equal(doors.gateway.calls.length, 1);
  });
});

describe("a state", () => {
  let requestState: string;
  beforeEach(async () => {
    behave((ask) => ask("roots/list"));
    ({ requestState } = inputRequired(await call()));
  });

  const answers = { inputResponses: { "ask-1": { roots: [] } } };
  const refused = async (answer: Promise<Answered>): Promise<void> => {
    const { status, json } = await answer;
    assert.deepEqual([status, json.error?.code], [200, -32602]);
    assert.equal(doors.gateway.calls.length, 1, "nothing more ran");
  };

  it("of another principal is refused", async () => {
    await refused(
      ask({ ...CALL, params: { ...CALL.params, ...answers, requestState }, headers: { "x-api-key": "eve" } }),
    );
    assert.equal((await call({ ...answers, requestState })).status, 200, "it is still good for its own");
  });

  it("of other arguments, or of another method, is refused", async () => {
    await refused(call({ ...answers, requestState, arguments: { n: 2 } }));
    await refused(ask({ method: "prompts/get", params: { ...CALL.params, ...answers, requestState } }));
  });

  it("of another server is refused", async () => {
    doors.gateway.has = () => true;
    await refused(ask({ ...CALL, params: { ...CALL.params, ...answers, requestState } }, "/servers/other/mcp"));
  });

  it("that was used already is refused", async () => {
    assert.deepEqual((await call({ ...answers, requestState })).json.result?.["roots"], []);
    await refused(call({ ...answers, requestState }));
  });

  it("that was tampered with is refused", async () => {
    const last = requestState.endsWith("A") ? "B" : "A";
    for (const tampered of [
      `${requestState}x`,
      `${requestState.slice(0, -1)}${last}`,
      requestState.slice(0, "zaguan.12345678.".length) + "A".repeat(32),
    ]) {
      await refused(call({ ...answers, requestState: tampered }));
    }
  });
});

describe("a client that did not declare that it can be asked", () => {
  it("is not asked; the server may do without", async () => {
    behave(async (ask) => {
      const refusal = await ask("elicitation/create").catch((cause) => toZaguanError(cause));
      assert.ok(refusal instanceof ZaguanError);
      return Payload.ofValue({ refused: refusal.details.relayed?.code });
    });
    const { status, json } = await call({}, "1", { roots: {} });
    assert.deepEqual([status, json.result?.["refused"], json.result?.["resultType"]], [200, -32601, "complete"]);
  });

  const failures: readonly (readonly [what: string, () => Promise<Payload>])[] = [
    ["fails", async () => Payload.ofText('{"content":[],"isError":true}')],
    [
      "answers with an error",
      () => Promise.reject(new ZaguanError("SOURCE_ERROR", { relayed: { code: -1, message: "no" } })),
    ],
  ];
  for (const [what, fail] of failures) {
    it(`is told what to declare if the server ${what} without`, async () => {
      behave(
        (ask) =>
          Promise.all(["elicitation/create", "roots/list"].map((each) => ask(each))).catch(fail) as Promise<Payload>,
      );
      const { status, json } = await call({}, "1", { roots: {} });
      assert.deepEqual([status, json.error?.code], [400, -32021]);
      assert.deepEqual(json.error?.data["requiredCapabilities"], { elicitation: {} });
    });
  }

  it("hears of a failure that has nothing to do with it as it is", async () => {
    behave(async () => Payload.ofText('{"content":[],"isError":true}'));
    const { status, json } = await call({}, "1", {});
    assert.deepEqual([status, json.result?.["isError"]], [200, true]);
  });
});

describe("a client that goes away", () => {
  it("while it waits has cancelled", async () => {
    behave(() => new Promise(() => {}));
    const left = new AbortController();
    const request = { ...statelessRequest({ ...CALL, capabilities: CAN }), signal: left.signal } as RequestInit;
    const answer = fetch(`${doors.url}${PATH}`, request).catch(() => {});
    await until("the call runs", () => doors.gateway.calls.length === 1);
    left.abort();
    await answer;
    await until("the call ends", () => doors.gateway.calls[0]?.signal?.aborted === true);
  });

  it("while it waits after it came again has cancelled, too", async () => {
    let hasCome = false;
    behave(async (ask) => {
      await ask("roots/list");
      hasCome = true;
      return new Promise(() => {});
    });
    const { requestState } = inputRequired(await call());
    const params = { ...CALL.params, requestState, inputResponses: { "ask-1": {} } };
    const left = new AbortController();
    const request = { ...statelessRequest({ ...CALL, params, capabilities: CAN }), signal: left.signal } as RequestInit;
    const answer = fetch(`${doors.url}${PATH}`, request).catch(() => {});
    await until("it has come", () => hasCome);
    assert.equal(doors.gateway.calls[0]?.signal?.aborted, false);
    left.abort();
    await answer;
    await until("the call ends", () => doors.gateway.calls[0]?.signal?.aborted === true);
  });

  it("after it was told what is needed has not, and finds the result that came meanwhile", async () => {
    const enough = Promise.withResolvers<void>();
    behave(async (ask) => {
      await Promise.race([ask("elicitation/create"), enough.promise]);
      return Payload.ofText('{"content":["kept"]}');
    });
    const { requestState } = inputRequired(await call());
    assert.equal(doors.gateway.calls[0]?.signal?.aborted, false);
    enough.resolve();
    const answer = await call({ requestState });
    assert.deepEqual(answer.json.result?.["content"], ["kept"]);
  });
});

describe("calls that wait for their client", () => {
  beforeEach(() => behave((ask) => ask("roots/list")));

  it("are so many at most; the next is ended, and its client told when to try again", async () => {
    const states = [inputRequired(await call()), inputRequired(await call())];
    const third = await call();
    assert.deepEqual([third.status, third.json.error?.code, third.headers["retry-after"]], [503, 1503, "5"]);
    assert.equal(doors.gateway.calls[2]?.signal?.aborted, true);
    const answers = { inputResponses: { "ask-1": {} }, requestState: states[0]?.requestState };
    assert.equal((await call(answers)).json.result?.["resultType"], "complete");
    inputRequired(await call());
  });

  it("are ended when we close", async () => {
    inputRequired(await call());
    await doors.close();
    assert.equal(doors.gateway.calls[0]?.signal?.aborted, true);
    doors = await openDoors([oneServer]);
  });
});

interface InputRequired {
  readonly resultType: string;
  readonly inputRequests: Readonly<Record<string, { readonly method: string }>>;
  readonly requestState: string;
}

type Ask = (method: string, params?: string) => Promise<Payload>;

/** What the server does when its tool is called; as the hub, it gives up when the call is ended. */
function behave(work: (ask: Ask) => Promise<Payload>): void {
  doors.gateway.answer = ({ caller, signal }) => {
    const ask: Ask = (method, params = "{}") =>
      (caller as Caller).request(method, Payload.ofText(params), signal as AbortSignal);
    const ended = new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(new ZaguanError("CANCELLED")));
    });
    return Promise.race([work(ask), ended]);
  };
}

function ask(
  message: { method: string; params: object; headers?: Record<string, string> },
  path = PATH,
): Promise<Answered> {
  return askStateless(doors, path, { ...message, params: { ...message.params }, capabilities: CAN });
}

function call(more: object = {}, id = "1", capabilities: Record<string, unknown> = CAN): Promise<Answered> {
  return askStateless(doors, PATH, { ...CALL, params: { ...CALL.params, ...more }, id, capabilities });
}

function inputRequired({ status, json }: Answered): InputRequired {
  const result = json.result as unknown as InputRequired;
  assert.deepEqual([status, result.resultType], [200, "input_required"]);
  return result;
}
