import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeError } from "../../../test/support/make-error.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { deviceFailure, devicePage, deviceResult } from "./device-dialect.ts";

type Tools = Parameters<typeof devicePage>[0];

function listed(names: readonly string[], description = "d".repeat(300)): Tools {
  const tools = names.map((name) => ({ definition: { name, description, inputSchema: { type: "object" } } }));
  return tools as unknown as Tools;
}

/** Follows the pages as a device does. */
function walk(tools: Tools): { readonly pages: readonly string[][]; readonly largest: number } {
  const pages: string[][] = [];
  let largest = 0;
  for (let cursor: string | undefined; ; ) {
    const { text } = devicePage(tools, cursor);
    const page = JSON.parse(text) as { tools: { name: string }[]; nextCursor?: string };
    largest = Math.max(largest, Buffer.byteLength(text));
    pages.push(page.tools.map(({ name }) => name));
    if (page.nextCursor === undefined) return { pages, largest };
    assert.notEqual(page.nextCursor, cursor, "it would loop for ever");
    cursor = page.nextCursor;
  }
}

describe("a device's list", () => {
  for (const [what, description] of [
    ["plain letters", "d".repeat(300)],
    ["letters of three bytes", "客".repeat(300)],
  ] as const) {
    it(`comes in pages of 8000 bytes, in ${what}, every tool once and in order`, () => {
      const names = Array.from({ length: 500 }, (_, n) => `tool_${n}`);
      const { pages, largest } = walk(listed(names, description));
      assert.ok(largest <= 8_000, String(largest));
      assert.ok(pages.length > 10);
      assert.deepEqual(pages.flat(), names);
    });
  }

  it("has what is larger than a page alone on one", () => {
    const tools = [...listed(["a"]), ...listed(["huge"], "x".repeat(20_000)), ...listed(["b"])];
    assert.deepEqual(walk(tools).pages, [["a"], ["huge"], ["b"]]);
  });

  it("begins at an empty cursor too, and refuses one that is none of ours", () => {
    assert.equal(devicePage(listed(["a"]), "").text, devicePage(listed(["a"]), undefined).text);
    assert.throws(() => devicePage(listed(["a"]), "zzz"), { code: "INVALID_PARAMS" });
  });
});

describe("what a device is told of a call", () => {
  it("has the text of a tool's failure in `error` too, where one popular server looks for it", () => {
    const failed = Payload.ofText(
      '{"content":[{"type":"image","data":""},{"type":"text","text":"无法打开"}],"isError":true}',
    );
    assert.equal((deviceResult(failed).value as { error: string }).error, "无法打开");
  });

  it("is what the tool said, if it went well or says it itself", () => {
    for (const text of [
      '{"content":[{"type":"text","text":"isError"}],"isError":false}',
      '{"content":[]}',
      '{"content":[],"isError":true,"error":"mine"}',
    ]) {
      const result = Payload.ofText(text);
      assert.equal(deviceResult(result), result, text);
    }
  });

  it("is a result for everything that a person can do something about", () => {
    const error = new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } });
    const {
      content,
      isError,
      error: text,
    } = (deviceFailure(error, "en") ?? assert.fail()).value as Record<string, unknown>;
    assert.deepEqual([content, isError], [[{ type: "text", text }], true]);
    assert.match(String(text), /x/);
  });

  it("stays an error where nobody can", () => {
    assert.equal(deviceFailure(new ZaguanError("INTERNAL"), "en"), undefined);
    assert.equal(deviceFailure(makeError("BAD_REQUEST"), "en"), undefined);
  });
});
