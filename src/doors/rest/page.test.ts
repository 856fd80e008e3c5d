import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { z } from "zod";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { PAGE } from "../../contract/page.ts";
import type { DoorFactory } from "../door.ts";
import { matcher, page } from "./page.ts";
import { restDoor, route } from "./route.ts";

const NUMBERS = Array.from({ length: 25 }, (_, index) => `number ${index}`);

const list: DoorFactory = (context) =>
  restDoor(context, "numbers", [
    route(
      {
        method: "GET",
        path: "/numbers",
        operationId: "numbers",
        tag: "Numbers",
        summary: "Numbers",
        query: z.object(PAGE),
        answers: {},
        needs: "see",
      },
      (request) => {
        const fits = matcher(request.query.search);
        return page(
          request,
          NUMBERS.filter((number) => fits([number, undefined])),
        );
      },
    ),
  ]);

describe("a list in pages", () => {
  let doors: OpenDoors;
  before(async () => {
    doors = await openDoors([list]);
  });
  after(() => doors.close());

  it("shows everything to who asks for no page", async () => {
    const { json, headers } = await doors.ask("/numbers");
    assert.deepEqual(json, NUMBERS);
    assert.deepEqual([headers["x-total-count"], headers["link"]], ["25", undefined]);
  });

  it("shows one page, says how many there are, and where the next one is", async () => {
    const { json, headers } = await doors.ask("/numbers?limit=10");
    assert.deepEqual(json, NUMBERS.slice(0, 10));
    assert.deepEqual([headers["x-total-count"], headers["link"]], ["25", '</numbers?limit=10&offset=10>; rel="next"']);
  });

  it("leads through all of them and back, keeping what else was asked for", async () => {
    const seen: unknown[] = [];
    let next: string | undefined = "/numbers?search=number&limit=10";
    let last = "";
    while (next) {
      const { json, headers } = await doors.ask(next);
      seen.push(...(json as unknown as unknown[]));
      last = String(headers["link"]);
      next = /<([^>]+)>; rel="next"/.exec(last)?.[1];
    }
    assert.deepEqual(seen, NUMBERS);
    assert.equal(last, '</numbers?search=number&limit=10&offset=10>; rel="prev"');
  });

  it("is empty behind its end", async () => {
    const { json, headers } = await doors.ask("/numbers?offset=99&limit=5");
    assert.deepEqual([json, headers["x-total-count"]], [[], "25"]);
  });

  it("finds what has all the words, in any case", async () => {
    const { json, headers } = await doors.ask("/numbers?search=NUMBER+24");
    assert.deepEqual([json, headers["x-total-count"]], [["number 24"], "1"]);
  });

  for (const query of ["limit=0", "limit=1001", "limit=x", "limit=", "offset=-1", "offset=1.5", "limit=1&limit=2"]) {
    it(`refuses ${query}, and says which parameter it is`, async () => {
      const { status, json } = await doors.ask(`/numbers?${query}`);
      assert.equal(status, 400);
      assert.match(String(json["detail"]), new RegExp(`'${query.split("=")[0]}'`));
    });
  }

  it("lets nobody write into its Link header", async () => {
    const { headers } = await doors.ask("/numbers?limit=1&search=number&a=%3E%22%0d%0ax:y");
    assert.match(String(headers["link"]), /^<\/numbers\?[!-;=?-~]+>; rel="next"$/);
  });
});
