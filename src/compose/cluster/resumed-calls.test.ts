import assert from "node:assert/strict";
import { type Duplex, duplexPair } from "node:stream";
import { beforeEach, describe, it } from "node:test";
import { until } from "../../../test/support/processes.ts";
import type { Resume } from "../../doors/mcp/session-nodes.ts";
import { ZaguanError } from "../../errors.ts";
import { type CancelSignal, LightAbort } from "../../light-abort.ts";
import { resumeHere, resumeThere } from "./resumed-calls.ts";

const BACK = { state: "s", proof: "p", account: "ann", inputResponses: '{ "ask-1":{"n":1.0} }' };

describe("a suspended call that goes on at another node", () => {
  let near: Duplex;
  let far: Duplex;
  let said: string[];
  beforeEach(() => {
    [near, far] = duplexPair();
    said = [];
  });

  /** What its client is told; `resume` is the door's at the node that holds it. */
  function come(resume: Resume, signal: CancelSignal = new LightAbort()): Promise<string> {
    for (const end of [near, far]) end.on("error", () => {});
    resumeHere(far, resume, () => "ref-1");
    return resumeThere(near, "dos", BACK, signal, (message) => said.push(message));
  }

  it("gets what its client brings, and tells what is said meanwhile and how it ended, to the letter", async () => {
    const text = '{"a":1.0,\n"b":"\u2028 ¡客!"}';
    const result = await come(async (back, _signal, notify) => {
      assert.deepEqual(back, BACK);
      notify(text);
      return text;
    });
    assert.deepEqual([result, said], [text, [text]]);
    await until("nothing is left of the connection", () => near.destroyed && far.destroyed);
  });

  it("fails as it would have failed here, and what nobody expected has a reference", async () => {
    const refusal = new ZaguanError("INVALID_PARAMS", { params: { reason: "over" } });
    const failure = await failureOf(come(() => Promise.reject(refusal)));
    assert.deepEqual(
      [failure.code, failure.details.params, failure.delivery],
      ["INVALID_PARAMS", { reason: "over" }, undefined],
    );
    [near, far] = duplexPair();
    const surprise = await failureOf(come(() => Promise.reject(new TypeError("a secret"))));
    assert.deepEqual([surprise.code, surprise.details.params], ["INTERNAL", { reference: "ref-1" }]);
    assert.doesNotMatch(JSON.stringify(surprise.details), /secret/);
  });

  it("ends when its client leaves", async () => {
    const [left, held] = [new LightAbort(), Promise.withResolvers<CancelSignal>()];
    const coming = failureOf(
      come((_back, signal) => {
        held.resolve(signal);
        return new Promise(() => {});
      }, left),
    );
    const signal = await held.promise;
    left.abort();
    // A tunnel tells the other end by a message.
    far.destroy();
    assert.equal((await coming).code, "CANCELLED");
    await until("it has heard of it", () => signal.aborted);
  });

  it("is unknown where its node is lost", async () => {
    const coming = failureOf(come(() => new Promise(() => {})));
    near.destroy();
    const { code, delivery } = await coming;
    assert.deepEqual([code, delivery], ["OUTCOME_UNKNOWN", "unknown"]);
  });
});

function failureOf(promise: Promise<unknown>): Promise<ZaguanError> {
  return promise.then(
    () => assert.fail("it did not fail"),
    (error) => error,
  );
}
