import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALICE, makeCall, makeContext } from "../../../test/support/make-call.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { authorize } from "./authorize.ts";

const ANSWER = Payload.ofText("{}");

describe("authorize", () => {
  const step = authorize(makeContext());

  it("lets pass what the principal may use", async () => {
    const call = makeCall({ principal: { ...ALICE, allow: ["house__*"] } });
    assert.equal(
      await step(call, async (passed) => {
        assert.equal(passed, call);
        return ANSWER;
      }),
      ANSWER,
    );
  });

  it("says of anything else that it is unknown, not that it is forbidden", async () => {
    const call = makeCall({ principal: { ...ALICE, allow: ["tv__*"] } });
    await assert.rejects(
      step(call, () => assert.fail("it passed")),
      (error) => {
        assert.ok(error instanceof ZaguanError);
        assert.deepEqual([error.code, error.delivery], ["UNKNOWN_TOOL", "not_sent"]);
        return true;
      },
    );
  });

  it("takes a pattern of tools for one of tools, not for one of what else a source can be asked", async () => {
    const asked = { source: "house", method: "resources/read", name: "resources/read", tool: undefined };
    const pass = (pattern: string): Promise<Payload> =>
      step(makeCall({ ...asked, principal: { ...ALICE, allow: [pattern] } }), async () => ANSWER);
    assert.equal(await pass("house__*"), ANSWER);
    for (const pattern of ["*read*", "*", "house__*read*"]) {
      await assert.rejects(pass(pattern), { code: "UNKNOWN_METHOD" }, pattern);
    }
  });
});
