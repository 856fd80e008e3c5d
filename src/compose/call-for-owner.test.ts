import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LIMITED, LOCAL } from "../../test/support/registry-ports.ts";
import type { Hub } from "../core/gateway.ts";
import { Payload } from "../protocol/json/payload.ts";
import { callForOwner, mayCallTool } from "./call-for-owner.ts";

function hub(result: unknown, listed: readonly string[] = []): Hub {
  return {
    call: async () => Payload.ofValue(result),
    listTools: async () => listed.map((name) => ({ definition: { name } })),
  } as unknown as Hub;
}

describe("a call that was ordered beforehand", () => {
  it("gives the texts of its answer", async () => {
    const content = [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "b" }];
    assert.equal(await callForOwner(hub({ content }), "x", {}), "a\nb");
    assert.equal(await callForOwner(hub({}), "x", {}), "");
  });

  it("fails with the tool's own words", async () => {
    const failed = { content: [{ type: "text", text: "no light" }], isError: true };
    await assert.rejects(callForOwner(hub(failed), "x", {}), { code: "SOURCE_ERROR", message: /no light/ });
  });
});

describe("who may have a tool called", () => {
  it("is who may call it: the owner everything, and who is limited what is listed", async () => {
    const house = hub({}, ["lamp_on"]);
    assert.ok(await mayCallTool(house, "alarm_off", LOCAL));
    assert.ok(await mayCallTool(house, "lamp_on", LIMITED));
    assert.equal(await mayCallTool(house, "alarm_off", LIMITED), false);
  });
});
