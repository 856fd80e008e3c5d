/** Addresses behind `#`: what is written is what is read again, whatever a tool is called. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { linkTo, routeIn } from "./route.ts";

describe("an address behind #", () => {
  it("names a page and what of it is shown", () => {
    const { page, parts, query } = routeIn("#/tools/house/get_presence?search=lamp&all=1");
    assert.deepEqual([page, parts], ["tools", ["house", "get_presence"]]);
    assert.deepEqual([query.get("search"), query.get("all")], ["lamp", "1"]);
  });

  it("is the first page where there is none", () => {
    for (const hash of ["", "#", "#/"]) assert.deepEqual(routeIn(hash).page, "", hash);
    assert.deepEqual(routeIn("").parts, []);
  });

  it("may have been written without the stroke", () => assert.equal(routeIn("#calls").page, "calls"));

  it("is taken as it is where it was not escaped as it should be", () => {
    assert.deepEqual(routeIn("#/tools/100%/%zz").parts, ["100%", "%zz"]);
  });

  for (const name of ["get_presence", "a/b", "100%", "was?ist=das&x", "#", "工具", "con espacio", "..", "%2f"]) {
    it(`leads back to a tool called ${name}`, () => {
      const { page, parts, query } = routeIn(linkTo("tools", "a server", name));
      assert.deepEqual([page, parts, query.size], ["tools", ["a server", name], 0]);
    });
  }
});
