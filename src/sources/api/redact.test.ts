import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { Redaction } from "./redact.ts";

describe("what is secret", () => {
  it("is taken out of texts, keys, lists and numbers", () => {
    const redaction = new Redaction(["hunter2!", "12345"]);
    const value = { "hunter2!": ["a hunter2! b", { n: 12345, m: 6 }] };
    assert.deepEqual(redaction.value(value), { "[redacted]": ["a [redacted] b", { n: "[redacted]", m: 6 }] });
  });

  it("leaves everything else the very same", () => {
    const value = { a: [1, { b: "c" }] };
    assert.equal(new Redaction(["secret"]).value(value), value);
    assert.equal(new Redaction(["a"]).text("banana"), "banana");
  });

  it("is found in JSON, in URLs and in forms, whatever it is", () => {
    const secret = fc
      .string({ minLength: 8 })
      .filter((text) => text.trim().length >= 8 && !"[redacted]".includes(text));
    fc.assert(
      fc.property(secret, (text) => {
        const redaction = new Redaction([text]);
        const strict = encodeURIComponent(text).replace(
          /[!'()*]/g,
          (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
        );
        const spellings = [
          text,
          strict,
          JSON.stringify(text),
          encodeURIComponent(text),
          `${new URLSearchParams({ k: text })}`,
        ];
        for (const spelling of spellings) assert.match(redaction.text(`<${spelling}>`), /\[redacted\]/);
      }),
    );
  });
});
