import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeSource } from "../../test/support/make-call.ts";
import { makeError } from "../../test/support/make-error.ts";
import { ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import { faceOfInitialize } from "../protocol/mcp/face.ts";
import type { Source, SourceRequest } from "../sources/source.ts";
import { listOffers } from "./list-offers.ts";

const { signal } = new AbortController();
const ALL = { tools: {}, prompts: {}, resources: {} };
const LISTS = ["prompts/list", "resources/list", "resources/templates/list"];

describe("asking a source what it offers beside tools", () => {
  it("asks for everything that it declares, and keeps it as it was written", async () => {
    const { source, asked } = offering(ALL, {
      "prompts/list": [{ prompts: [{ name: "greet", later: { a: 1 } }] }],
      "resources/list": [{ resources: [{ uri: "a:b", later: true }] }],
      "resources/templates/list": [{ resourceTemplates: [{ uriTemplate: "a:{x}" }] }],
    });
    assert.deepEqual(await listOffers(source, signal), {
      prompts: [{ name: "greet", later: { a: 1 } }],
      resources: [{ uri: "a:b", later: true }],
      resourceTemplates: [{ uriTemplate: "a:{x}" }],
    });
    assert.deepEqual(
      asked.map(({ method, params }) => `${method} ${params?.text}`).toSorted(),
      LISTS.map((method) => `${method} {}`),
    );
    assert.ok(asked.every((request) => request.signal === signal));
  });

  const declared: readonly (readonly [what: string, capabilities: object | undefined, asked: readonly string[]])[] = [
    ["only tools", { tools: {} }, []],
    ["prompts", { prompts: { listChanged: true } }, LISTS.slice(0, 1)],
    ["resources", { resources: {} }, LISTS.slice(1)],
    ["nothing, since it speaks no MCP", undefined, []],
  ];
  for (const [what, capabilities, expected] of declared) {
    it(`asks nothing more of one that declares ${what}`, async () => {
      const { source, asked } = offering(capabilities, {});
      const offers = await listOffers(source, signal);
      assert.deepEqual(asked.map(({ method }) => method).toSorted(), expected);
      assert.equal(Object.keys(offers).length, expected.length);
    });
  }

  it("reads page after page", async () => {
    const { source, asked } = offering(
      { prompts: {} },
      {
        "prompts/list": [
          { prompts: [{ name: "a" }], nextCursor: "2" },
          { prompts: [{ name: "b" }], nextCursor: "3" },
          { prompts: [{ name: "c" }], nextCursor: null },
        ],
      },
    );
    assert.deepEqual((await listOffers(source, signal)).prompts, [{ name: "a" }, { name: "b" }, { name: "c" }]);
    assert.deepEqual(
      asked.map(({ params }) => params?.value),
      [{}, { cursor: "2" }, { cursor: "3" }],
    );
  });

  it("takes an empty cursor for the end of a list", async () => {
    const page = { prompts: [{ name: "a" }], nextCursor: "" };
    const { source, asked } = offering({ prompts: {} }, { "prompts/list": [page, page] });
    assert.deepEqual((await listOffers(source, signal)).prompts, [{ name: "a" }]);
    assert.equal(asked.length, 1);
  });

  it("does not turn pages for ever", async () => {
    const same = { prompts: [{ name: "a" }], nextCursor: "again" };
    const { source, asked } = offering({ prompts: {} }, { "prompts/list": Array(1_000).fill(same) });
    assert.equal((await listOffers(source, signal)).prompts?.length, asked.length);
    assert.equal(asked.length, 2);
    const endless = Array.from({ length: 1_000 }, (_, page) => ({ prompts: [{ name: "a" }], nextCursor: `${page}` }));
    const other = offering({ prompts: {} }, { "prompts/list": endless });
    await listOffers(other.source, signal);
    assert.equal(other.asked.length, 100);
  });

  it("takes a page of any length", async () => {
    const prompts = Array.from({ length: 200_000 }, (_, n) => ({ name: `p${n}` }));
    const { source, asked } = offering({ prompts: {} }, { "prompts/list": [{ prompts, nextCursor: "2" }] });
    assert.equal((await listOffers(source, signal)).prompts?.length, 200_000);
    assert.equal(asked.length, 1, "that is enough");
  });

  it("reads no more than 32 MiB, and keeps what came", async () => {
    const text = "x".repeat(10 * 1_048_576);
    const pages = Array.from({ length: 8 }, (_, page) => ({
      prompts: [{ name: `p${page}`, text }],
      nextCursor: `${page}`,
    }));
    const { source, asked } = offering({ prompts: {} }, { "prompts/list": pages });
    assert.equal((await listOffers(source, signal)).prompts?.length, 4);
    assert.equal(asked.length, 4);
  });

  it("passes over what is no definition, and answers that are none", async () => {
    const { source } = offering(ALL, {
      "prompts/list": [{ prompts: [null, "greet", [], 7, { name: "a" }] }],
      "resources/list": [null],
      "resources/templates/list": [{ resourceTemplates: {} }],
    });
    assert.deepEqual(await listOffers(source, signal), {
      prompts: [{ name: "a" }],
      resources: [],
      resourceTemplates: [],
    });
  });
});

describe("a source that does not say what it offers", () => {
  const refusal = new ZaguanError("SOURCE_ERROR", {
    relayed: { code: -32601, message: "what?" },
    delivery: "executed",
  });

  it("because it does not know the question offers nothing of that kind", async () => {
    const { source } = offering(ALL, { "prompts/list": [{ prompts: [{ name: "a" }] }] }, refusal);
    assert.deepEqual(await listOffers(source, signal), {
      prompts: [{ name: "a" }],
      resources: [],
      resourceTemplates: [],
    });
  });

  it("on its later pages offers what is on the earlier ones", async () => {
    const first = { prompts: [{ name: "a" }], nextCursor: "2" };
    const { source } = offering({ prompts: {} }, { "prompts/list": [first] }, refusal);
    assert.deepEqual(await listOffers(source, signal), { prompts: [{ name: "a" }] });
  });

  for (const code of ["OUTCOME_UNKNOWN", "SOURCE_UNAVAILABLE", "CANCELLED"] as const) {
    it(`because it is gone (${code}) has not said that it offers nothing`, async () => {
      const gone = makeError(code);
      const { source } = offering(ALL, { "prompts/list": [{ prompts: [] }] }, gone);
      await assert.rejects(listOffers(source, signal), (error) => error === gone);
    });
  }

  it("because it cannot be reached at all is no source of nothing, either", async () => {
    const source = makeSource("s", { face: () => Promise.reject(makeError("SOURCE_UNAVAILABLE")) });
    await assert.rejects(listOffers(source, signal), (error: ZaguanError) => error.code === "SOURCE_UNAVAILABLE");
  });
});

type Pages = Readonly<Record<string, readonly unknown[]>>;

/** Answers with these pages, one after the other; then with the failure, if there is one, else with nothing. */
function offering(capabilities: object | undefined, pages: Pages, failure?: ZaguanError) {
  const asked: SourceRequest[] = [];
  const request = async (one: SourceRequest): Promise<Payload> => {
    const turn = asked.filter(({ method }) => method === one.method).length;
    asked.push(one);
    const page = pages[one.method]?.[turn];
    if (page === undefined && failure) throw failure;
    return Payload.ofValue(page ?? {});
  };
  const face = capabilities && faceOfInitialize(Payload.ofValue({ capabilities }));
  const source: Source = makeSource("s", { request, face: async () => face });
  return { source, asked };
}
