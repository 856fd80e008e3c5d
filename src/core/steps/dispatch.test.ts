import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeCall, makeCaller, makeContext, makeSource } from "../../../test/support/make-call.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { SourceRequest } from "../../sources/source.ts";
import { dispatch } from "./dispatch.ts";

const NO_NEXT = () => assert.fail("there is nothing behind dispatch");

describe("dispatch", () => {
  it("asks the source in its own name for the tool, with all that belongs to the call", async () => {
    const requests: SourceRequest[] = [];
    const request = async (asked: SourceRequest) => {
      requests.push(asked);
      return Payload.ofText("{}");
    };
    const source = makeSource("house", { request });
    const context = makeContext({ attached: () => ({ source, policy: { repeatable: [], cacheSeconds: {} } }) });
    const told = { onProgress: () => {}, onNotification: () => {}, caller: makeCaller() };
    const call = makeCall({ meta: Payload.ofText('{"a":1}'), language: "zh", ...told });
    await dispatch(context)(call, NO_NEXT);
    assert.deepEqual(requests, [call]);
  });

  it("says of a source that was removed meanwhile that the call never left", async () => {
    await assert.rejects(dispatch(makeContext())(makeCall({ source: "gone" }), NO_NEXT), (error) => {
      assert.ok(error instanceof ZaguanError);
      assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
      return true;
    });
  });

  it("asks nothing for a caller that has left", async () => {
    const source = makeSource("house", { request: () => assert.fail("it was asked") });
    const context = makeContext({ attached: () => ({ source, policy: { repeatable: [], cacheSeconds: {} } }) });
    const call = makeCall();
    const reason = new ZaguanError("CANCELLED");
    call.abort(reason);
    await assert.rejects(dispatch(context)(call, NO_NEXT), (error) => error === reason);
  });
});
