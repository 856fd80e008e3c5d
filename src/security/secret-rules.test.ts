/** What counts as a secret, and what only sounds or looks like one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOrdinary, isSecretHeader, isSecretName, isSecretSetting, looksSecret } from "./secret-rules.ts";

describe("a setting is a secret", () => {
  const secrets: readonly (readonly [string, string])[] = [
    ["GITHUB_TOKEN", "abc"],
    ["DB_PASSWORD", "postgres"],
    ["apiKey", "x"],
    ["REDIS_PWD", "x"],
    ["LICENSE_KEY", "ABCD-1234-x9Z8"],
    ["api_key", "k1k2k3k4"],
    ["ODD", "q1w2e3r4t5y6u7i8o9p0"],
    ["ANYTHING", "ghp_0123456789abcdef"],
    ["ANYTHING", "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl"],
  ];
  for (const [name, value] of secrets) it(`${name}=${value}`, () => assert.ok(isSecretSetting(name, value)));
});

describe("a setting is none", () => {
  const plain: readonly (readonly [string, string])[] = [
    ["LOG_LEVEL", "debug"],
    ["MAX_TOKENS", "100000"],
    ["TOKEN_URL", "https://example.org/token"],
    ["GOOGLE_APPLICATION_CREDENTIALS", "/home/me/credentials.json"],
    ["KEY_FILE", "key.pem"],
    ["AUTHOR", "ana"],
    ["MONKEY", "banana"],
    ["TOKENIZER", "cl100k"],
    ["MODEL", "claude-3-5-sonnet-20241022"],
    ["IMAGE", "node:24.1.0-bookworm-slim"],
    ["NODE_ENV", "production"],
    ["PATH", "/usr/lib/x86_64-linux-gnu/a1b2c3d4"],
  ];
  for (const [name, value] of plain) it(`${name}=${value}`, () => assert.ok(!isSecretSetting(name, value)));
});

describe("a header", () => {
  it("is a secret whatever its name, unless its value is plainly something else", () => {
    for (const name of ["Authorization", "X-Whatever", "Cookie"]) assert.ok(isSecretHeader(name, "Zc1x8550f6Q7"), name);
    for (const value of ["application/json", "eu-west-1", "2025-11-25", "v1.2.3", "blue"]) {
      assert.ok(!isSecretHeader("X-Whatever", value), value);
      assert.ok(isSecretHeader("X-Whatever", value, true), `${value}, in doubt`);
    }
  });

  it("is judged by its value, not by a name that sounds harmless", () => {
    const names = ["X-Tenant", "X-Region", "X-Environment", "X-Api-Version", "X-Format", "Accept", "User-Agent"];
    for (const name of names) assert.ok(isSecretHeader(name, "Zc1x8550f6Q7"), name);
  });

  it("is none where to take it out would spoil ordinary answers", () => {
    const values = ["true", "1", "eu", "es-ES,es;q=0.9", "application/json", "text/html, */*;q=0.8", "max-age=0"];
    for (const value of [
      ...values,
      "application/vnd.a1b2c3d4e5+json; charset=utf-8",
      "Mozilla/5.0 (X11; Linux x86_64)",
    ]) {
      for (const name of ["X-Whatever", "Accept", "X-Tenant"]) assert.ok(!isSecretHeader(name, value), value);
    }
  });

  it("is none where it says whose page asks, or a version or place as makers write them", () => {
    for (const [name, value] of [
      ["Origin", "https://n8n.example.org"],
      ["origin", "http://k8s-2.i18n.example:8080"],
      ["Referer", "https://x2go.example/docs/start"],
      ["X-Api-Version", "v1beta1"],
      ["X-Api-Version", "1.0.0rc1"],
      ["X-Api-Version", "2.0b3"],
      ["X-Region", "us-east-1a"],
    ] as const) {
      for (const inDoubt of [false, true]) assert.ok(!isSecretHeader(name, value, inDoubt), value);
    }
    for (const value of ["https://me:hush@n8n.example.org", "https://n8n.example.org/Zc1x8550f6Q7", "Zc1x8550f6Q7"])
      assert.ok(isSecretHeader("Referer", value), value);
    for (const value of ["4a7b9c2d", "v1beta1x", "123b45"]) assert.ok(!isOrdinary(value), value);
  });

  it("is shown and given away only if both say so", () => {
    assert.ok(!isSecretHeader("X-Api-Version", "2025-11-25", true));
    for (const [name, value] of [
      ["X-Api-Version", "Zc1x8550f6Q7"],
      ["X-Version-Token", "1"],
      ["X-Team", "blue"],
    ] as const)
      assert.ok(isSecretHeader(name, value, true), name);
  });
});

it("looks and words", () => {
  for (const text of ["12345678", "hello world", "GET /pets", ""])
    assert.ok(!looksSecret(text) && isOrdinary(text), text);
  assert.ok(!isOrdinary("3f2b8c1e9d") && !isOrdinary("abcdefghijklmnop"));
  assert.ok(isSecretName("lockCode", "1234") && !isSecretName("code", "print(1, 2)") && !isSecretName("token", true));
});
