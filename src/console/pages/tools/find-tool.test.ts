/** A tool is found by its very name, however many are like it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findTool } from "./find-tool.ts";
import type { Tool } from "./tool-types.ts";

const signal = new AbortController().signal;

function toolNamed(name: string): Tool {
  return { id: name, name, serverName: "s", serverSlug: "s", description: "", inputSchemaJson: "{}" };
}

describe("a tool", () => {
  const names = [...Array.from({ length: 450 }, (_, at) => `get_${at}`), "get"];
  const asked: URLSearchParams[] = [];
  const load = async (path: string) => {
    const { searchParams } = new URL(path, "http://hub");
    asked.push(searchParams);
    const offset = Number(searchParams.get("offset"));
    return {
      rows: names.slice(offset, offset + Number(searchParams.get("limit"))).map(toolNamed),
      total: names.length,
    };
  };

  it("is found behind all that have its name in theirs", async () => {
    assert.equal((await findTool("s", "get", signal, load))?.name, "get");
    assert.equal(asked.length, 3);
    assert.deepEqual(
      [asked[0]?.get("serverId"), asked[0]?.get("search"), asked[0]?.get("withMissing")],
      ["s", "get", "true"],
    );
  });

  it("that is not there is none, and the search ends", async () => {
    assert.equal(await findTool("s", "lamp", signal, load), undefined);
    assert.equal(await findTool("s", "lamp", signal, async () => ({ rows: [], total: 5 })), undefined);
  });
});
