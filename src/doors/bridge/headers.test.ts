import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Exchange } from "../door.ts";
import { freshnessIn, priorityIn, timeoutMsIn } from "../rest/tool-call.ts";
import { clientIdIn, requestIdIn } from "./request.ts";

/** Header, what it says, what is understood; undefined: as if it had not come. */
const cases = {
  "x-priority": {
    read: priorityIn,
    rows: [
      ["HIGH", "HIGH"] as const,
      ["high", "HIGH"] as const,
      [" Low ", "LOW"] as const,
      ["Bulk", "BULK"] as const,
      ["URGENT", "MEDIUM"] as const,
      ["", "MEDIUM"] as const,
      ["__proto__", "MEDIUM"] as const,
      ["HIGH,LOW", "MEDIUM"] as const,
      [undefined, "MEDIUM"] as const,
    ],
  },
  "x-timeout": {
    read: timeoutMsIn,
    rows: [
      ["30", 30_000] as const,
      ["2.5", 2_500] as const,
      [" 7 ", 7_000] as const,
      ["+7", 7_000] as const,
      ["0", 1_000] as const,
      ["-5", 1_000] as const,
      ["0.1", 1_000] as const,
      ["301", 300_000] as const,
      ["9".repeat(400), 300_000] as const,
      ["soon", undefined] as const,
      ["", undefined] as const,
      ["1e3", undefined] as const,
      ["0x10", undefined] as const,
      ["Infinity", undefined] as const,
      [undefined, undefined] as const,
    ],
  },
  "x-cache-control": {
    read: (exchange: Exchange) => freshnessIn(exchange)?.maxAgeSeconds,
    rows: [
      ["max-age=3600", 3_600] as const,
      ["Max-Age=5", 5] as const,
      ['max-age="5"', 5] as const,
      ["no-cache", 0] as const,
      ["NO-STORE", 0] as const,
      ["max-age=0", 0] as const,
      ["max-age=60, no-cache", 0] as const,
      ["private, max-age=9", 9] as const,
      ["max-age=-1", undefined] as const,
      ["max-age=x", undefined] as const,
      ["", undefined] as const,
    ],
  },
  "x-client-id": {
    read: clientIdIn,
    rows: [
      ["n8n at home", "n8n at home"] as const,
      ["", undefined] as const,
      ["x".repeat(128), "x".repeat(128)] as const,
      ["x".repeat(129), undefined] as const,
      ["caf\u00e9", undefined] as const,
      ["a\tb", undefined] as const,
    ],
  },
};

for (const [name, { read, rows }] of Object.entries(cases)) {
  describe(name, () => {
    for (const [said, expected] of rows) {
      const shown = String(said).slice(0, 30);
      it(`"${shown}" is ${expected}`, () => assert.equal(read(exchangeWith(name, said)), expected));
    }
  });
}

describe("x-request-id", () => {
  it("is the caller's if it can be printed", () => {
    assert.equal(requestIdIn(exchangeWith("x-request-id", "req-12345")), "req-12345");
  });

  for (const said of [undefined, "", "x".repeat(129), "a\u0000b", "ñ"]) {
    it(`is made in the place of ${JSON.stringify(said)?.slice(0, 20)}`, () => {
      const made = [1, 2].map(() => requestIdIn(exchangeWith("x-request-id", said)));
      assert.match(made[0] ?? "", /^req-[\w-]{36}$/);
      assert.notEqual(made[0], made[1]);
    });
  }
});

function exchangeWith(name: string, value: string | undefined): Exchange {
  return { header: (asked: string) => (asked === name ? value : undefined) } as Exchange;
}
