import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { splitJsonArray } from "./json-array.ts";

describe("cutting a JSON array", () => {
  it("keeps every character of the elements", () => {
    const text = ' [ {"id": 9007199254740993, "x": "],\\"[{"} ,[1,[2]], 1e400 ,"a,b" ] ';
    assert.deepEqual(splitJsonArray(text), ['{"id": 9007199254740993, "x": "],\\"[{"}', "[1,[2]]", "1e400", '"a,b"']);
    assert.deepEqual(splitJsonArray("[]"), []);
    assert.deepEqual(splitJsonArray("[ ]"), []);
  });

  it("refuses what is no array or does not close", () => {
    for (const text of ["", "[", "{}", "[1", "[1,]", "[,1]", "[1]]", "[[1]", '["a]', "[{]", '["a\\"]', "[1] x"]) {
      assert.equal(splitJsonArray(text), undefined, text);
    }
  });

  it("agrees with JSON.parse (property)", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2), (values, indent) => {
        const parts = splitJsonArray(JSON.stringify(values, undefined, indent));
        assert.deepEqual(
          parts?.map((part) => JSON.parse(part)),
          JSON.parse(JSON.stringify(values)),
        );
      }),
      { numRuns: 200 },
    );
  });
});
