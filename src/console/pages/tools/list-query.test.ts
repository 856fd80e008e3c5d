/** A search in the address, and as the hub is asked. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addressOf, findTool, isSameQuery, pageOf, queryIn, type ToolsQuery } from "./list-query.ts";
import type { Tool } from "./tool-pages.ts";

const ALL: ToolsQuery = { search: "", server: "", missing: false };

function inAddress(hash: string): ToolsQuery {
  return queryIn(new URLSearchParams(hash.split("?", 2)[1] ?? ""));
}

describe("what is looked for", () => {
  it("stands in the address, as far as it is anything", () => {
    assert.equal(addressOf(ALL), "#/tools");
    assert.equal(addressOf({ ...ALL, search: "lamp on" }), "#/tools?search=lamp+on");
    assert.equal(
      addressOf({ search: "x", server: "house", missing: true }),
      "#/tools?server=house&search=x&missing=true",
    );
  });

  it("is found there again, whatever it is", () => {
    for (const search of ["", "a b", "ñ&=?#%/", "你好", "+", '"', "a?b"]) {
      const query = { search, server: search, missing: search === "" };
      assert.deepEqual(inAddress(addressOf(query)), query);
    }
  });

  it("is asked of the hub: of all servers, or of one", () => {
    assert.equal(pageOf(ALL, 0, 100), "/mcp/tools/all?offset=0&limit=100");
    const query = { search: " lamp ", server: "ho use", missing: true };
    assert.equal(pageOf(query, 200, 50), "/mcp/tools?serverId=ho+use&search=lamp&withMissing=true&offset=200&limit=50");
  });

  it("is never longer than the hub takes", () => {
    const { searchParams } = new URL(pageOf({ ...ALL, search: "x".repeat(500) }, 0, 1), "http://h");
    assert.equal(searchParams.get("search")?.length, 200);
  });

  it("is the same if it says the same", () => {
    assert.ok(isSameQuery(ALL, { ...ALL }));
    assert.ok(!isSameQuery(ALL, { ...ALL, missing: true }));
  });
});

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
