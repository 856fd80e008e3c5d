import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALICE, makeCaller } from "../../test/support/make-call.ts";
import { failureOf } from "../../test/support/open-hub.ts";
import type { Outcome } from "../cluster/messages.ts";
import { ZaguanError } from "../errors.ts";
import { LightAbort } from "../light-abort.ts";
import { Payload } from "../protocol/json/payload.ts";
import { faceOfDiscovery, faceOfInitialize } from "../protocol/mcp/face.ts";
import type { SourceRequest } from "../sources/source.ts";
import {
  decodeAnswer,
  decodeCaller,
  decodeFace,
  decodeMessage,
  encodeAnswer,
  encodeFace,
  encodeMessage,
  encodeRequest,
  errorOf,
  identityAt,
  payload,
  toOutcome,
  type WireRequest,
} from "./wire.ts";

/** What another spelling would lose: integers beyond 2^53, the order of keys, a key twice, escapes and line separators. */
const EXACT = '{"z":12345678901234567890,"a":1.0,"a":2e0,"é":"\\u00e9 ñ 漢 😀 \\ud83d\u2028"}';

function requestOf(more: Partial<SourceRequest> = {}): SourceRequest {
  const args = Payload.ofText(EXACT);
  return { method: "tools/call", name: "on", args, language: "es", signal: new LightAbort(), ...more };
}

function sent(request: SourceRequest, node = "uno"): WireRequest {
  return JSON.parse(encodeRequest("request", request, node)) as WireRequest;
}

function failure(outcome: Outcome): Extract<Outcome, { kind: "error" }> {
  // As it comes out of a message of the bus.
  const told = JSON.parse(JSON.stringify(outcome)) as Outcome;
  assert.ok(told.kind === "error");
  return told;
}

describe("a request on its way", () => {
  it("keeps the very text of its payloads", () => {
    const exact = Payload.ofText(EXACT);
    const wire = sent(requestOf({ meta: exact, params: exact }));
    for (const text of [wire.args, wire.meta, wire.params]) assert.equal(payload(text)?.text, EXACT);
  });

  it("keeps what is absent absent", () => {
    const { meta, params, principal, caller, priority } = sent(requestOf());
    assert.deepEqual([meta, params, principal, caller, priority], Array(5).fill(undefined));
    assert.equal(payload(undefined), undefined);
  });

  it("tells what is asked, how, and whether somebody wants to hear of it", () => {
    const wire = sent(requestOf({ priority: "HIGH", onProgress: () => {} }));
    const { asked, method, name, language, priority, wantsProgress } = wire;
    assert.deepEqual([asked, method, name, language, priority], ["request", "tools/call", "on", "es", "HIGH"]);
    assert.equal(wantsProgress, true);
    assert.equal(sent(requestOf()).wantsProgress, false);
  });

  it("tells who calls and whose share it takes, without its links", () => {
    const links = { find: () => ({ fixedArguments: { pin: "hidden" } }) };
    const principal = { ...ALICE, account: "key:bob", allow: ["on"] };
    const text = encodeRequest("request", requestOf({ principal: { ...principal, links } }), "uno");
    assert.deepEqual((JSON.parse(text) as WireRequest).principal, principal);
    assert.ok(!text.includes("links") && !text.includes("hidden"));
  });
});

describe("a client on its way", () => {
  const caller = makeCaller({
    identity: "7",
    capabilities: Payload.ofText(EXACT),
    info: Payload.ofText(EXACT),
    comesAgain: true,
    logLevel: "warning",
  });

  it("is the same at the other end, and is asked as told", async () => {
    const { caller: wire } = sent(requestOf({ caller }));
    assert.ok(wire);
    const far = decodeCaller(wire, async (method, params) => Payload.ofValue([method, params.value]));
    const { canBeAsked, comesAgain, logLevel, capabilities, info } = far;
    assert.deepEqual([canBeAsked, comesAgain, logLevel], [true, true, "warning"]);
    assert.deepEqual([capabilities.text, info?.text], [EXACT, EXACT]);
    const answer = await far.request("roots/list", Payload.ofValue(1), new LightAbort());
    assert.deepEqual(answer.value, ["roots/list", 1]);
    assert.equal(far.wantsLog("debug"), true, "its own node looks at the level");
  });

  it("that said nothing of itself has no info", () => {
    const { caller: wire } = sent(requestOf({ caller: makeCaller() }));
    assert.ok(wire);
    assert.equal(decodeCaller(wire, caller.request).info, undefined);
  });

  it("is another than one of another node, and the same as itself", () => {
    const identities = ["uno", "dos"].map((node) => sent(requestOf({ caller }), node).caller?.identity);
    assert.notEqual(identities[0], identities[1]);
    assert.deepEqual(identities, [identityAt("uno", caller), identityAt("dos", caller)]);
    assert.notEqual(identityAt("uno", caller), identityAt("uno", makeCaller({ identity: "8" })));
  });
});

describe("a failure on its way", () => {
  it("keeps its code, values, data, delivery and when to come again", () => {
    const error = new ZaguanError("NO_CAPACITY", {
      params: { source: "lamp", waiting: 3, seconds: 2 },
      data: { queue_size: 3 },
      retryAfterMs: 2_000,
      delivery: "not_sent",
      words: "its last words",
      cause: new Error("a secret"),
    });
    const outcome = failure(toOutcome(error));
    assert.ok(!JSON.stringify(outcome).includes("secret"), "causes stay where they are");
    const far = errorOf(outcome, "lamp");
    const { cause: _, ...details } = error.details;
    assert.equal(far.code, "NO_CAPACITY");
    assert.deepEqual(JSON.parse(JSON.stringify(far.details)), details);
  });

  it("keeps the source's own error, as it was written", () => {
    const relayed = { code: -32_042, message: "ñ", data: { deep: [1] }, text: `{"code":-32042,"data":${EXACT}}` };
    const far = errorOf(failure(toOutcome(new ZaguanError("SOURCE_ERROR", { relayed, delivery: "executed" }))), "lamp");
    assert.deepEqual(far.details.relayed, relayed);
    assert.equal(far.delivery, "executed");
  });

  it("that nobody expected is one of ours, of which nothing is known", () => {
    const { code, delivery } = failure(toOutcome(new TypeError("boom")));
    assert.deepEqual([code, delivery], ["INTERNAL", "unknown"]);
  });

  it("that was made between the nodes names the source", () => {
    const far = errorOf({ kind: "error", code: "OUTCOME_UNKNOWN", delivery: "unknown" }, "lamp");
    assert.deepEqual([far.code, far.delivery, far.details.params?.["source"]], ["OUTCOME_UNKNOWN", "unknown", "lamp"]);
  });
});

describe("what is said and asked on the way", () => {
  it("keeps its method and the very text of its params", () => {
    const [method, params] = decodeMessage(encodeMessage("notifications/message", Payload.ofText(EXACT)));
    assert.deepEqual([method, params.text], ["notifications/message", EXACT]);
  });

  it("is answered with the very text of the client", async () => {
    const answer = await decodeAnswer(await encodeAnswer(Promise.resolve(Payload.ofText(EXACT))), "lamp");
    assert.equal(answer.text, EXACT);
  });

  it("fails where the client's answer was a failure", async () => {
    const relayed = { code: -1, message: "declined" };
    const said = await encodeAnswer(Promise.reject(new ZaguanError("SOURCE_ERROR", { relayed, delivery: "executed" })));
    const error = await failureOf(decodeAnswer(said, "lamp"));
    assert.deepEqual([error.code, error.details.relayed, error.delivery], ["SOURCE_ERROR", relayed, "executed"]);
  });
});

describe("what a server says of itself, on its way", () => {
  const travel = (text: string): Payload => Payload.ofText(text);

  it("survives, of a server with a handshake and of one without", () => {
    const greeting = `{"protocolVersion":"2025-06-18","serverInfo":{"name":"s"},"instructions":"do","capabilities":${EXACT}}`;
    for (const face of [faceOfInitialize(travel(greeting)), faceOfDiscovery(travel(greeting))]) {
      const far = decodeFace(travel(encodeFace(face).text));
      assert.deepEqual([far?.greeting?.text, far?.discovery?.text], [face.greeting?.text, face.discovery?.text]);
      assert.deepEqual(far?.serverInfo, face.serverInfo);
      assert.deepEqual([far?.capabilities, far?.instructions], [face.capabilities, "do"]);
    }
  });

  it("may be nothing at all", () => {
    assert.equal(decodeFace(travel(encodeFace(undefined).text)), undefined);
  });
});
