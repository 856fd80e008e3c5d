/** Arguments as people may look at them: no secret under any name, depth or disguise that is known, and the rest as it is. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { redactArguments } from "./redact-arguments.ts";

const HIDDEN = "[redacted]";

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
