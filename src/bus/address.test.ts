/** Addresses of NATS, as people write them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAddresses } from "./address.ts";
import { BusError } from "./bus-error.ts";

describe("addresses of NATS", () => {
  const good: readonly (readonly [string, object])[] = [
    ["nats://a", { servers: ["a:4222"], isSecure: false }],
    ["a:5000, b", { servers: ["a:5000", "b:4222"], isSecure: false }],
    ["tls://a:1,nats://b:2/", { servers: ["a:1", "b:2"], isSecure: true }],
    ["nats://[::1]:4223", { servers: ["[::1]:4223"], isSecure: false }],
    ["nats://me:p%40ss:1@a", { servers: ["a:4222"], isSecure: false, user: "me", password: "p@ss:1" }],
    ["nats://t0ken@a,nats://b", { servers: ["a:4222", "b:4222"], isSecure: false, token: "t0ken" }],
  ];
  for (const [text, expected] of good) it(text, () => assert.deepEqual(parseAddresses(text), expected));

  const bad = [
    "",
    " , ",
    "http://a",
    "nats://",
    "nats://a:99999",
    "nats://a/path",
    "nats://a?x=1",
    "ws://a",
    "nats://s3cret%@a",
  ];
  for (const text of bad) {
    it(`${JSON.stringify(text)} is refused in one line, without its credentials`, () => {
      assert.throws(
        () => parseAddresses(text),
        (error) => error instanceof BusError && error.kind === "address" && !/s3cret|\n/.test(error.message),
      );
    });
  }
});
