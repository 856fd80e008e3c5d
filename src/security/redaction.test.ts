import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { Redaction } from "./redaction.ts";

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

describe("in a message", () => {
  const redaction = new Redaction(['s3cr/"et+', "12345678", "Zc1x8550f65996aabbQ7"]);
  const escaped = [..."Zc1x8550f65996aabbQ7"].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

  it("everything else stays as it was written", () => {
    const text =
      '{ "id" : 12345678,"result":{"n":1e400, "big":12345678901234567890,"é":"\\u00e9\\/", "s":"a Zc1x8550f65996aabbQ7 b"} }';
    assert.equal(redaction.json(text), text.replace("Zc1x8550f65996aabbQ7", "[redacted]"));
  });

  it("it is found however it is escaped, and in JSON within JSON", () => {
    const spellings = [
      JSON.stringify('s3cr/"et+'),
      JSON.stringify('s3cr/"et+').replace("/", "\\/"),
      JSON.stringify(JSON.stringify({ a: 's3cr/"et+' })),
      `"${escaped.join("")}"`,
      JSON.stringify(`{"a":"${escaped.join("")}"}`),
      JSON.stringify(encodeURIComponent(encodeURIComponent("?q=Zc1x8550f65996aabbQ7&"))),
      JSON.stringify(Buffer.from("a Zc1x8550f65996aabbQ7").toString("base64")),
      JSON.stringify(Buffer.from("Zc1x8550f65996aabbQ7 b").toString("base64url")),
    ];
    for (const spelling of spellings) {
      const clean = redaction.json(`{"a":[${spelling}],"b":1}`);
      assert.match(clean, /\[redacted\]/, spelling);
      assert.equal(JSON.parse(clean).b, 1);
    }
  });

  it("a number that is one becomes a text, and a number that only holds one stays", () => {
    const clean = redaction.json('{"id":12345678,"result":[12345678,-12345678,9123456780,{"id":12345678}]}');
    assert.equal(clean, '{"id":12345678,"result":["[redacted]",-12345678,9123456780,{"id":"[redacted]"}]}');
  });

  it("what is no JSON is a text", () => {
    assert.equal(redaction.json("noise Zc1x8550f65996aabbQ7"), "noise [redacted]");
    assert.equal(redaction.json('{ broken Zc1x8550f65996aabbQ7 "x'), '{ broken [redacted] "x');
  });

  it("a piece of it at a cut counts", () => {
    assert.equal(redaction.piece("cut: Zc1x8550"), "cut: [redacted]");
    assert.equal(redaction.piece("cut: Zc1x"), "cut: Zc1x");
  });

  it("is the same JSON but for the secret, whatever is around it", () => {
    const one = new Redaction(["Zc1x8550f65996aabbQ7"]);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify({ value, s: "Zc1x8550f65996aabbQ7" });
        assert.equal(one.json(text), JSON.stringify({ value, s: "[redacted]" }));
      }),
    );
  });
});
