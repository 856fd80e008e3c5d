import assert from "node:assert/strict";
import { it } from "node:test";
import { FakeKind } from "../../test/support/fake-kind.ts";
import { ForwardingSource } from "./forwarding-source.ts";

it("a source that another node holds is ready there, and neither up nor down while nobody is known to hold it", () => {
  let owner: string | undefined = "uno";
  const source = new ForwardingSource("lamp", new FakeKind(), {
    forward: () => assert.fail("nothing is asked of it"),
    tellOwner: () => assert.fail("nothing is told to it"),
    ownerOf: () => owner,
    closed: () => {},
  });
  assert.deepEqual([source.status().state, source.status().node], ["ready", "uno"]);
  owner = undefined;
  assert.deepEqual([source.status().state, source.status().node], ["starting", undefined]);
});
