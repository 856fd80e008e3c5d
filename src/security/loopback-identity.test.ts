import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isLoopbackIdentity } from "./loopback-identity.ts";

const USUAL = { host: "127.0.0.1", allowedHosts: [], requireKey: false };

describe("coming from loopback", () => {
  it("is an identity where only this machine reaches us", () => {
    for (const host of ["127.0.0.1", "localhost", "::1", "[::1]", "127.0.0.5"])
      assert.ok(isLoopbackIdentity({ ...USUAL, host }), host);
    const allowedHosts = ["localhost:8080", "127.0.0.1:1", "[::1]:2", "HUB.localhost"];
    assert.ok(isLoopbackIdentity({ ...USUAL, allowedHosts }));
  });

  it("is none where others may", () => {
    for (const host of ["0.0.0.0", "::", "192.168.1.5", "nas.lan"])
      assert.equal(isLoopbackIdentity({ ...USUAL, host }), false, host);
    for (const name of ["hub.example.org", "hub.example.org:443", "localhost.example.org", "10.0.0.1"])
      assert.equal(isLoopbackIdentity({ ...USUAL, allowedHosts: ["localhost", name] }), false, name);
    assert.equal(isLoopbackIdentity({ ...USUAL, requireKey: true }), false);
  });
});
