import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeTool } from "../../../test/support/make-call.ts";
import type { ListedTool } from "../../core/gateway.ts";
import { HTTP_PAGE_CHARS, toolPage } from "./tool-pages.ts";

interface Page {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

describe("the list of tools", () => {
  it("is one page up to a megabyte, without a cursor", () => {
    const tools = listed(1_000);
    const page = toolPage(tools, undefined, HTTP_PAGE_CHARS).value as Page;
    assert.deepEqual(
      page.tools,
      tools.map(({ definition }) => definition),
    );
    assert.equal("nextCursor" in page, false);
    assert.equal(HTTP_PAGE_CHARS, 1_048_576);
  });

  it("may be empty", () => assert.equal(toolPage([], undefined, 1_000).text, '{"tools":[]}'));

  it("in pages names the next tool as cursor and gives out each tool once, within the size", () => {
    const tools = listed(100);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 100; page++) {
      const { text, value } = toolPage(tools, cursor, 1_000);
      assert.ok(text.length <= 1_000 + 40, `${text.length}`);
      seen.push(...(value as Page).tools.map(({ name }) => name));
      cursor = (value as Page).nextCursor;
      if (cursor === undefined) break;
      assert.equal(cursor, `tool${seen.length}`);
    }
    assert.deepEqual(
      seen,
      tools.map(({ definition }) => definition.name),
    );
  });

  it("sends a tool that alone is larger than a page alone: never dropped, never looped on", () => {
    const tools = [...listed(1), { source: "s", definition: makeTool("big", { description: "x".repeat(5_000) }) }];
    const last = { source: "s", definition: makeTool("last") };
    const first = toolPage([...tools, last], undefined, 1_000).value as Page;
    assert.deepEqual([first.tools.length, first.nextCursor], [1, "big"]);
    const second = toolPage([...tools, last], "big", 1_000).value as Page;
    assert.deepEqual([second.tools.map(({ name }) => name), second.nextCursor], [["big"], "last"]);
  });

  it("is written once for everybody who is shown the same list, for each size of page", () => {
    const tools = listed(100);
    const whole = toolPage(tools, undefined, HTTP_PAGE_CHARS);
    assert.equal(toolPage(tools, undefined, HTTP_PAGE_CHARS), whole);
    const small = toolPage(tools, undefined, 1_000).value as Page;
    assert.equal(small.nextCursor, `tool${small.tools.length}`);
    assert.equal((toolPage(listed(2), undefined, HTTP_PAGE_CHARS).value as Page).tools.length, 2);
  });

  it("begins at the start for an empty cursor, as devices send it", () => {
    assert.equal((toolPage(listed(3), "", 1_000).value as Page).tools.length, 3);
  });

  it("refuses a cursor that it never gave", () => {
    assert.throws(() => toolPage(listed(3), "tool99", 1_000), { code: "INVALID_PARAMS" });
  });
});

function listed(count: number): ListedTool[] {
  return Array.from({ length: count }, (_, n) => ({ source: "s", definition: makeTool(`tool${n}`) }));
}
