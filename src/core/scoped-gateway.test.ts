import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALICE, makeTool } from "../../test/support/make-call.ts";
import { makeError } from "../../test/support/make-error.ts";
import { ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { CallRequest } from "./call.ts";
import type { Gateway } from "./gateway.ts";
import { scopedTo } from "./scoped-gateway.ts";

const REQUEST: CallRequest = { tool: "on", args: Payload.ofText("{}"), principal: ALICE, language: "en", door: "test" };

describe("the hub seen through one source", () => {
  it("lists only that source's tools, under the names the source gave them", async () => {
    const { gateway } = fakeHub();
    const tools = await scopedTo(gateway, "tv").listTools(ALICE, "en");
    assert.deepEqual(
      tools.map(({ definition }) => definition),
      [makeTool("volume"), makeTool("on", { description: "the tv's", "x-unknown": 1 })],
    );
  });

  it("calls that source's tool, though another keeps the name", async () => {
    const { gateway, called } = fakeHub();
    await scopedTo(gateway, "tv").call(REQUEST);
    assert.deepEqual(called, ["tv__on"]);
  });

  it("speaks of an unknown tool by the name that was used", async () => {
    const { gateway } = fakeHub();
    await assert.rejects(scopedTo(gateway, "tv").call({ ...REQUEST, tool: "off" }), (error: ZaguanError) => {
      assert.deepEqual([error.code, error.details.params], ["UNKNOWN_TOOL", { tool: "off" }]);
      return true;
    });
  });

  it("passes every other failure on as it is", async () => {
    const failure = makeError("RATE_LIMITED");
    const gateway = { ...fakeHub().gateway, call: () => Promise.reject(failure) };
    await assert.rejects(scopedTo(gateway, "tv").call(REQUEST), (error) => error === failure);
  });

  it("tells of changes until it is told to stop", () => {
    const { gateway, listeners } = fakeHub();
    const stop = scopedTo(gateway, "tv").onToolsChanged(() => {});
    assert.equal(listeners.size, 1);
    stop();
    assert.equal(listeners.size, 0);
  });
});

function fakeHub() {
  const called: string[] = [];
  const listeners = new Set<() => void>();
  const gateway: Gateway = {
    listTools: async () => [
      { source: "house", definition: makeTool("on") },
      { source: "tv", definition: makeTool("volume") },
      { source: "tv", definition: makeTool("tv__on", { description: "the tv's", "x-unknown": 1 }) },
      { source: "tv2", definition: makeTool("tv2__on") },
    ],
    findTool: (_principal, name) => makeTool(name),
    call: async ({ tool }) => {
      called.push(tool);
      if (tool === "tv__on") return Payload.ofText("{}");
      throw new ZaguanError("UNKNOWN_TOOL", { params: { tool }, delivery: "not_sent" });
    },
    onToolsChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { gateway, called, listeners };
}
