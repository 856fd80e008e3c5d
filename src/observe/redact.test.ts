/** No secret gets into a log or into the arguments that people look at, by its name or by its looks, and no value makes a line without end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { redactArguments, redactFields, redactText } from "./redact.ts";

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

describe("an argument named like a secret", () => {
  const names = [
    "pin",
    "PIN",
    "alarm_pin",
    "code",
    "lockCode",
    "user-code",
    "auth",
    "proxyAuth",
    "pass",
    "pwd",
    "otp",
    "jwt",
    "password1",
    "passwordConfirm",
    "wifi_passphrase",
    "secretText",
    "token_value",
    "access-token",
    "apiKey2",
    "credentialsJson",
    "privateKeyPem",
    "sessionCookie",
    "x-amz-signature",
  ];
  for (const name of names) {
    it(`is hidden wherever it stands: ${name}`, () => {
      const secret = { [name]: "hush7" };
      const hidden = { [name]: HIDDEN };
      assert.deepEqual(redactArguments({ ...secret, a: { ...secret, b: [secret] } }), {
        ...hidden,
        a: { ...hidden, b: [hidden] },
      });
    });
  }

  it("is hidden as a number, in a list, and whole where it is an object", () => {
    const args = { pin: 1234, codes: ["0000", "1111"], auth: { user: "ana", value: "hush" } };
    assert.deepEqual(redactArguments(args), { pin: HIDDEN, codes: HIDDEN, auth: HIDDEN });
  });

  it("is hidden where the tool declares it as one", () => {
    const properties = { phrase: { type: "string", format: "password" }, seed: { writeOnly: true }, odd: null };
    const args = { phrase: "open sesame", seed: "x", odd: "y" };
    assert.deepEqual(redactArguments(args, { properties }), { phrase: HIDDEN, seed: HIDDEN, odd: "y" });
    assert.deepEqual(redactArguments(args, { properties: 7 }), args);
  });

  it("takes nothing with it that only sounds like one", () => {
    const args = {
      name: "salon",
      on: true,
      code: "print(1, 2)",
      key: "Enter",
      pinned: "x",
      author: "ana",
      monkey: "x",
      auth: false,
      opinion: "none",
      passenger: "bob",
      encoded: "x",
      compass: "north",
      session: "2",
    };
    assert.deepEqual(redactArguments(args), args);
  });
});

describe("a text", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["https://a.example/x?city=1&token=hush&y=2", "https://a.example/x?city=1&token=[redacted]&y=2"],
    ["https://a.example/cb?code=4/hush&state=1", "https://a.example/cb?code=[redacted]&state=1"],
    ["https://a.example/map?key=hush", "https://a.example/map?key=[redacted]"],
    ["https://ana:hush@a.example/", "https://ana:[redacted]@a.example/"],
    ["postgres://u:hu:sh@db/x", "postgres://u:[redacted]@db/x"],
    ["Authorization: Basic aHVzaA==", "Authorization: [redacted]"],
    ['-H "X-API-Key: hush" -d x', '-H "X-API-Key: [redacted]" -d x'],
    ["HA_TOKEN=hush/hush== run", "HA_TOKEN=[redacted] run"],
    ['{"password":"hush","x":1}', '{"password":"[redacted]","x":1}'],
    ["PIN: 1234", "PIN: [redacted]"],
    ["use sk-abcdefghijklmnop1234 now", "use [redacted] now"],
    ["ghp_abcdefghijklmnopqrst", "[redacted]"],
    ["eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "[redacted]"],
    ["a\n-----BEGIN RSA PRIVATE KEY-----\nhush\n-----END RSA PRIVATE KEY-----", "a\n[redacted] RSA PRIVATE KEY-----"],
    ["-----BEGIN PRIVATE KEY-----\nhush", "[redacted]"],
  ];
  for (const [text, shown] of cases) {
    it(`loses what is a secret by its looks: ${text.slice(0, 40).replaceAll("\n", " ")}`, () => {
      assert.deepEqual(redactArguments({ a: [text] }), { a: [shown] });
      assert.equal(redactArguments(text), shown);
    });
  }

  it("keeps the rest", () => {
    for (const text of [
      "https://a.example/a?b=c#d",
      "turn it on: now",
      "pinch = 5",
      "10:30",
      "ana@a.example",
      "a // b: c",
    ])
      assert.equal(redactArguments(text), text);
  });
});

describe("arguments that are no object", () => {
  it("stay what they are", () => {
    assert.deepEqual([redactArguments(null), redactArguments(7), redactArguments(true)], [null, 7, true]);
  });
});
