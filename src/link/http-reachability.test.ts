import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { Reachability } from "./http-reachability.ts";

describe("a server", () => {
  let lost: string[];
  let reachability: Reachability;

  beforeEach(() => {
    lost = [];
    reachability = new Reachability((reason) => lost.push(reason));
  });

  it("is lost after three failures in a row, for the last one's reason", () => {
    for (const reason of ["one", "two"]) reachability.failed(reason);
    assert.deepEqual(lost, []);
    reachability.failed("three");
    assert.deepEqual(lost, ["three"]);
  });

  it("is not lost if it answered in between", () => {
    for (let i = 0; i < 4; i++) {
      reachability.failed("a");
      reachability.failed("b");
      reachability.succeeded();
    }
    assert.deepEqual(lost, []);
  });

  it("is not lost while an answer may still come, and is when the last of them has", () => {
    reachability.expect();
    reachability.expect();
    for (let i = 0; i < 5; i++) reachability.failed("refused");
    reachability.arrived();
    assert.deepEqual(lost, []);
    reachability.arrived();
    assert.deepEqual(lost, ["refused"]);
  });
});
