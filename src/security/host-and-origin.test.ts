import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { describe, it, mock } from "node:test";
import { HostAndOrigin, isBehindTheBack } from "./host-and-origin.ts";

const OURS = new HostAndOrigin({
  host: "127.0.0.1",
  port: 3003,
  allowedHosts: ["hub.example.org", "nas.lan:8443"],
  allowedOrigins: ["https://app.example.org"],
});

const GOOD_HOSTS = [
  "127.0.0.1:3003",
  "localhost:3003",
  "LOCALHOST:3003",
  "localhost",
  "[::1]:3003",
  "hub.example.org",
  "Hub.Example.org:3003",
  "nas.lan:8443",
];
const BAD_HOSTS = [
  undefined,
  "",
  "evil.example",
  "evil.example:3003",
  "localhost:3004",
  "localhost.",
  "localhost.evil.example:3003",
  "evil.example/localhost:3003",
  "localhost:3003/health?x=",
  "user@localhost:3003",
  "localhost:3003#",
  "localhost:3003, evil.example",
  " localhost:3003",
  "localhost:03003",
  "::1:3003",
  "127.1:3003",
  "2130706433:3003",
  "0.0.0.0:3003",
  "app.example.org",
];
const GOOD_ORIGINS = [
  undefined,
  "http://localhost:3003",
  "http://127.0.0.1:3003",
  "http://[::1]:3003",
  "HTTP://LOCALHOST:3003",
  "https://hub.example.org",
  "https://app.example.org",
];
const BAD_ORIGINS = [
  "",
  "null",
  "http://evil.example",
  "http://evil.example:3003",
  "http://localhost",
  "http://localhost:8080",
  "http://localhost:3003/",
  "http://localhost:3003.evil.example",
  "http://evil.example, http://localhost:3003",
  "http://app.example.org",
  "https://app.example.org:3003",
  "https://sub.app.example.org",
  "chrome-extension://abcdef",
  "file://",
  "localhost:3003",
];

describe("Host and Origin", () => {
  for (const host of GOOD_HOSTS) {
    for (const origin of GOOD_ORIGINS) {
      it(`${host} from ${origin ?? "no page"} may talk to us`, () =>
        assert.equal(OURS.refusal(host, origin), undefined));
    }
    it(`${host} from any other origin may not`, () => {
      for (const origin of BAD_ORIGINS) assert.equal(OURS.refusal(host, origin)?.code, "FORBIDDEN_ORIGIN", origin);
    });
  }

  for (const host of BAD_HOSTS) {
    it(`${host ?? "no host"} is not us, whatever the origin`, () => {
      for (const origin of [...GOOD_ORIGINS, ...BAD_ORIGINS]) {
        assert.equal(OURS.refusal(host, origin)?.code, "FORBIDDEN_HOST", origin);
      }
    });
  }

  it("repeats at most a hundred characters of what it refuses", () => {
    const long = "x".repeat(5_000);
    assert.equal(OURS.refusal(long, undefined)?.details.params?.["host"], "x".repeat(100));
    assert.equal(OURS.refusal("localhost", long)?.details.params?.["origin"], "x".repeat(100));
  });
});

describe("the address we listen on", () => {
  const guard = (host: string, port = 3003) => new HostAndOrigin({ host, port, allowedHosts: [], allowedOrigins: [] });

  it("is one of our names", () => {
    assert.equal(guard("192.168.1.5").refusal("192.168.1.5:3003", "http://192.168.1.5:3003"), undefined);
    assert.equal(guard("fd00::5").refusal("[fd00::5]:3003", undefined), undefined);
  });

  it("is none where it means every interface", () => {
    for (const every of ["0.0.0.0", "::"]) {
      assert.equal(guard(every).refusal("0.0.0.0:3003", undefined)?.code, "FORBIDDEN_HOST");
      assert.equal(guard(every).refusal("192.168.1.5:3003", undefined)?.code, "FORBIDDEN_HOST");
      assert.equal(guard(every).refusal("localhost:3003", undefined), undefined);
    }
  });

  it("is each of this machine's own where it means every interface", () => {
    const parts = { netmask: "", mac: "", internal: false, scopeid: 0, cidr: null };
    const lan = [
      { address: "192.168.1.5", family: "IPv4" as const, ...parts },
      { address: "fd00::5", family: "IPv6" as const, ...parts },
    ];
    const interfaces = mock.method(os, "networkInterfaces", () => ({ lan, gone: undefined }));
    syncBuiltinESMExports();
    try {
      for (const every of ["0.0.0.0", "::"]) {
        for (const name of ["192.168.1.5:3003", "[fd00::5]:3003", "[FD00::5]", "192.168.1.5"]) {
          assert.equal(guard(every).refusal(name, "http://192.168.1.5:3003"), undefined, `${name} on ${every}`);
        }
        for (const other of ["192.168.1.6:3003", "fd00::5:3003", "[192.168.1.5]:3003", "[fd00::6]:3003"]) {
          assert.equal(guard(every).refusal(other, undefined)?.code, "FORBIDDEN_HOST", `${other} on ${every}`);
        }
      }
      assert.equal(guard("127.0.0.1").refusal("192.168.1.5:3003", undefined)?.code, "FORBIDDEN_HOST");
    } finally {
      interfaces.mock.restore();
      syncBuiltinESMExports();
    }
  });

  it("has no port in its origin where that is the usual one", () => {
    assert.equal(guard("127.0.0.1", 80).refusal("localhost", "http://localhost"), undefined);
  });
});

describe("a request that another site's page makes behind its reader's back", () => {
  const picture = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };

  it("is told by what the browser says of it", () => {
    assert.equal(isBehindTheBack(picture), true);
    // Another port of this machine is another program's page.
    assert.equal(isBehindTheBack({ ...picture, "sec-fetch-site": "same-site" }), true);
  });

  it("is not one of our own page, of a program, or of somebody who follows a link", () => {
    assert.equal(isBehindTheBack({ ...picture, "sec-fetch-site": "same-origin" }), false);
    assert.equal(isBehindTheBack({ ...picture, "sec-fetch-site": "none" }), false);
    assert.equal(isBehindTheBack({}), false);
    assert.equal(isBehindTheBack({ ...picture, "sec-fetch-mode": "navigate" }), false);
  });

  it("is judged by its origin where it bears one", () => {
    assert.equal(isBehindTheBack({ ...picture, origin: "https://app.example.org" }), false);
  });
});
