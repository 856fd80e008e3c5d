import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Ending, lost, unfit } from "../../link/ending.ts";
import { closeReasonOf } from "./redial.ts";

/** As a link of WebSocket tells it: " (1000: bye)", " (1000)" or "". */
function closed(told: string): Ending {
  const [, code, words = ""] = /^ \((\d{4})(?:: (.*))?\)$/.exec(told) ?? [];
  return { kind: "closed", code: code ? Number(code) : undefined, reason: "closed", words };
}

describe("the end of a connection", () => {
  it("is told in plain words, with the code", () => {
    const told: readonly (readonly [string, string])[] = [
      [" (4004: Internal server error)", "it did not understand our greeting or our list of tools, or failed itself"],
      [" (1008: Invalid token)", "it does not accept our token"],
      [" (4001)", "it does not accept our token"],
      [" (1001)", "it is going away"],
      [" (1000)", "it closed the connection"],
      [" (4999: 再见)", "it closed the connection"],
    ];
    for (const [ending, words] of told)
      assert.deepEqual(closeReasonOf(closed(ending)), { reason: `${words}${ending}`, kind: "goodbye" });
    assert.deepEqual(closeReasonOf(closed("")), { reason: "it closed the connection", kind: "goodbye" });
  });

  it("is a replacement only where the far end says so", () => {
    assert.deepEqual(closeReasonOf(closed(" (1000: 新连接替换)")), {
      reason: "another connection with the same token took our place (1000: 新连接替换)",
      kind: "replaced",
    });
    assert.equal(closeReasonOf(closed(" (1000: Replaced by a new connection)")).kind, "replaced");
    assert.equal(closeReasonOf(closed(" (1000: bye)")).kind, "goodbye");
  });

  it("is a loss where nobody said goodbye, unless the far end broke the rules", () => {
    for (const reason of ["the connection was lost", "it does not answer pings"])
      assert.deepEqual(closeReasonOf(lost(reason)), { reason, kind: "lost" });
    for (const reason of ["it sent a message larger than 9 bytes", "it broke the rules of WebSocket"])
      assert.deepEqual(closeReasonOf(unfit(reason)), { reason, kind: "goodbye" });
  });

  it("repeats no token that the far end repeats", () => {
    const token = `eyJhbGciOiJFUzI1NiJ9.${"x".repeat(60)}`;
    assert.equal(
      closeReasonOf(closed(` (1008: bad token ${token})`)).reason,
      "it does not accept our token (1008: bad token …)",
    );
    assert.equal(
      closeReasonOf(closed(" (1000: bye, kitty)"), ["kitty"]).reason,
      "it closed the connection (1000: bye, …)",
    );
  });
});
