import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sharedTools } from "./shared-tools.ts";

const volume = (description: string) => ({ name: "volume", description, inputSchema: { type: "object" } }) as const;

describe("tools of many devices", () => {
  it("are one where they are written alike", () => {
    const [one] = sharedTools([volume("Louder or softer")]);
    const [other] = sharedTools([volume("Louder or softer")]);
    assert.equal(one, other);
  });

  it("are told apart by whatever is written differently", () => {
    const [one, other] = sharedTools([volume("Louder"), volume("Softer")]);
    assert.deepEqual([one, other], [volume("Louder"), volume("Softer")]);
  });
});
