/** A list that is searched, read on and renewed, while answers come in whatever order they like. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { ToolsQuery } from "./list-query.ts";
import { ToolPages, type ToolRow } from "./tool-pages.ts";

const ALL: ToolsQuery = { search: "", server: "", missing: false };

interface Asked {
  readonly search: string;
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
  answer(): void;
  refuse(): void;
}

function toolAt(at: number, description = ""): ToolRow {
  return { id: `id-${at}`, name: `tool-${at}`, serverName: "s", serverSlug: "s", description };
}

describe("the list of tools", () => {
  let hub: readonly ToolRow[];
  let asked: Asked[];
  let pages: ToolPages;

  beforeEach(() => {
    hub = Array.from({ length: 250 }, (_, at) => toolAt(at));
    asked = [];
    pages = new ToolPages((query, offset, limit, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<{ rows: readonly ToolRow[]; total: number }>();
      const answer = (): void => {
        const fit = hub.filter(({ name }) => name.includes(query.search));
        resolve({ rows: fit.slice(offset, offset + limit), total: fit.length });
      };
      asked.push({ search: query.search, offset, limit, signal, answer, refuse: () => reject(new Error("no")) });
      return promise;
    }, ALL);
  });

  const answer = async (at = asked.length - 1): Promise<void> => {
    asked[at]?.answer();
    await turn();
  };
  const names = () => pages.found.get().rows.map(({ name }) => name);

  it("comes page by page, as far as it is read", async () => {
    void pages.search(ALL);
    assert.equal(pages.found.get().loading, true);
    await answer();
    assert.deepEqual([names().length, pages.found.get().total], [100, 250]);
    for (const expected of [200, 250]) {
      void pages.more();
      await answer();
      assert.equal(names().length, expected);
    }
    void pages.more();
    assert.deepEqual(
      asked.map(({ offset, limit }) => [offset, limit]),
      [
        [0, 100],
        [100, 100],
        [200, 100],
      ],
    );
    assert.deepEqual(
      names(),
      hub.map(({ name }) => name),
    );
  });

  it("asks for one page at a time", async () => {
    void pages.search(ALL);
    void pages.more();
    assert.equal(asked.length, 1);
    await answer();
    void pages.more();
    void pages.more();
    assert.equal(asked.length, 2);
  });

  it("is that of the last search, whichever answers first", async () => {
    void pages.search({ ...ALL, search: "tool-1" });
    void pages.search({ ...ALL, search: "tool-24" });
    assert.deepEqual(
      asked.map(({ signal }) => signal.aborted),
      [true, false],
    );
    await answer(1);
    await answer(0);
    assert.deepEqual([names()[0], pages.found.get().query.search], ["tool-24", "tool-24"]);
  });

  it("is left as it was until the next search is answered", async () => {
    void pages.search(ALL);
    await answer();
    void pages.search({ ...ALL, search: "24" });
    const { rows, loading, query } = pages.found.get();
    assert.deepEqual([rows.length, loading, query.search], [100, true, ""]);
  });

  it("does not add a page of the search before", async () => {
    void pages.search(ALL);
    await answer();
    void pages.more();
    void pages.search({ ...ALL, search: "tool-24" });
    await answer(2);
    await answer(1);
    assert.equal(names().length, pages.found.get().total);
  });

  it("is renewed as far as it was read, in large pieces", async () => {
    hub = Array.from({ length: 1_500 }, (_, at) => toolAt(at));
    void pages.search(ALL);
    await answer();
    for (let page = 0; page < 11; page++) {
      void pages.more();
      await answer();
    }
    assert.equal(names().length, 1_200);
    hub = [toolAt(9_999), ...hub.slice(1)];
    asked.length = 0;
    void pages.renew();
    assert.equal(names().length, 1_200);
    await answer(0);
    await answer(1);
    assert.deepEqual([names().length, names()[0]], [1_200, "tool-9999"]);
    assert.deepEqual(
      asked.map(({ offset, limit }) => [offset, limit]),
      [
        [0, 1_000],
        [1_000, 200],
      ],
    );
  });

  it("shrinks with the hub's", async () => {
    void pages.search(ALL);
    await answer();
    hub = hub.slice(0, 3);
    void pages.renew();
    await answer();
    assert.deepEqual([names().length, pages.found.get().total, pages.found.get().loading], [3, 3, false]);
    void pages.more();
    assert.equal(asked.length, 2);
  });

  it("that shrank between two pages ends there", async () => {
    void pages.search(ALL);
    await answer();
    hub = hub.slice(0, 50);
    void pages.more();
    await answer();
    assert.deepEqual([names().length, pages.found.get().total], [100, 100]);
  });

  it("shows nothing twice", async () => {
    void pages.search(ALL);
    await answer();
    hub = [toolAt(9_999), ...hub];
    void pages.more();
    await answer();
    assert.equal(new Set(names()).size, names().length);
  });

  it("tells what went wrong, keeps what it has, and can be asked again", async () => {
    void pages.search(ALL);
    await answer();
    void pages.more();
    asked.at(-1)?.refuse();
    await turn();
    const { rows, problem, loading } = pages.found.get();
    assert.deepEqual([rows.length, problem?.message, loading], [100, "no", false]);
    // Else the end of the list would ask for ever.
    void pages.more();
    assert.equal(asked.length, 2);
    void pages.renew();
    await answer();
    assert.equal(pages.found.get().problem, undefined);
  });

  it("keeps no schema, and of a description what is shown", async () => {
    hub = [{ ...toolAt(0, "x".repeat(5_000)), inputSchema: { large: true } } as ToolRow];
    void pages.search(ALL);
    await answer();
    const [row] = pages.found.get().rows;
    assert.equal(row?.description.length, 300);
    assert.ok(row && !("inputSchema" in row));
  });

  it("waits for nothing any more when it is closed", async () => {
    void pages.search(ALL);
    pages.close();
    await answer();
    assert.deepEqual([names(), asked[0]?.signal.aborted], [[], true]);
  });
});
