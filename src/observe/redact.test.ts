/** No secret gets into a log, by its name or by its looks, and no value makes a line without end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { redactFields, redactText } from "./redact.ts";

const HIDDEN = "[redacted]";

describe("fields named like secrets", () => {
  const names = [
    "authorization",
    "x-api-key",
    "x-handsai-token",
    "cookie",
    "token",
    "password",
    "secret",
    "apiKey",
    "credentials",
  ];
  for (const name of [
    ...names,
    "Authorization",
    "X-Api-Key",
    "set-cookie",
    "accessToken",
    "HA_TOKEN",
    "client_secret",
  ]) {
    it(`are hidden on all four levels: ${name}`, () => {
      const secret = { [name]: "hush" };
      assert.deepEqual(redactFields({ ...secret, a: { ...secret, b: [{ ...secret }] } }), {
        [name]: HIDDEN,
        a: { [name]: HIDDEN, b: [{ [name]: HIDDEN }] },
      });
    });
  }

  it("are hidden whatever they hold", () => {
    const fields = { token: { deep: ["hush"] }, password: 1234, secret: null };
    assert.deepEqual(redactFields(fields), { token: HIDDEN, password: HIDDEN, secret: HIDDEN });
  });

  it("do not take harmless fields with them", () => {
    const fields = { source: "home", tool: "light_on", tokenizer: "x", keys: 3, monkey: "x" };
    assert.deepEqual(redactFields(fields), fields);
  });
});

describe("environments and headers", () => {
  it("show their names and hide every value", () => {
    const fields = { env: { PATH: "/bin", ANY: "hush" }, deep: { env: { A: "hush" }, headers: { "x-own": "hush" } } };
    assert.deepEqual(redactFields(fields), {
      env: { PATH: HIDDEN, ANY: HIDDEN },
      deep: { env: { A: HIDDEN }, headers: { "x-own": HIDDEN } },
    });
    assert.deepEqual(redactFields({ env: ["A=hush"] }), { env: HIDDEN });
  });
});

describe("texts", () => {
  it("lose whatever looks like a key of ours or a bearer token, and keep the rest", () => {
    const key = `zgn_${"Ab1-_".repeat(8)}xyz`;
    assert.equal(redactText(`two: ${key}, "${key}".`), 'two: zgn_[redacted], "zgn_[redacted]".');
    assert.equal(redactText("Authorization: Bearer abc.def-1/2== end"), "Authorization: Bearer [redacted] end");
    assert.equal(redactText("hint zgn_Ab1-… stays"), "hint zgn_Ab1-… stays");
    assert.deepEqual(redactFields({ [key]: [key, { x: `<${key}>` }] }), {
      "zgn_[redacted]": ["zgn_[redacted]", { x: "<zgn_[redacted]>" }],
    });
  });

  it("are cut if they are very long", () => {
    assert.equal(redactText("x".repeat(20_000)), `${"x".repeat(10_000)}…`);
  });
});

describe("values of any kind", () => {
  it("end after four levels, circles included", () => {
    const circle: Record<string, unknown> = { n: 1 };
    circle["self"] = circle;
    assert.deepEqual(redactFields(circle), { n: 1, self: { n: 1, self: { n: 1, self: { n: 1, self: "[deeper]" } } } });
  });

  it("become something JSON can say", () => {
    const fields = {
      big: 12n,
      when: new Date(0),
      where: new URL("http://a/"),
      bytes: new Uint8Array(3),
      bad: new Date(NaN),
    };
    assert.deepEqual(JSON.parse(JSON.stringify(redactFields(fields))), {
      big: "12",
      when: "1970-01-01T00:00:00.000Z",
      where: "http://a/",
      bytes: "[3 bytes]",
      bad: "null",
    });
  });

  it("are no more than a hundred to an object or list", () => {
    const list = Array.from({ length: 500 }, (_, index) => index);
    const { a, b } = redactFields({ a: list, b: Object.fromEntries(list.entries()) });
    assert.deepEqual([(a as []).length, Object.keys(b as object).length], [100, 100]);
  });

  it("hide the secrets of an error's cause", () => {
    const cause = Object.assign(new Error("zgn_ABCDEFGHIJKL"), { code: "zgn_ABCDEFGHIJKL" });
    const text = JSON.stringify(redactFields({ err: new Error("Bearer hush", { cause }) }));
    assert.doesNotMatch(text, /hush|ABCDEF/);
  });
});
