import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { describe, it } from "node:test";
import { addOwnAddress, isLoopback, isLoopbackIdentity, isOwnAddress, isPublicAddress, isWithin } from "./addresses.ts";

describe("public addresses", () => {
  const open = [
    "8.8.8.8",
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700:4700::1111",
    "::ffff:8.8.8.8",
    "2000::1",
    "2001:4860:4860::8888",
    "2a00:1450:4001:80b::200e",
    "3ffe:ffff::1",
    "3ff0::1",
  ];
  for (const ip of open) {
    it(`${ip} is public`, () => assert.equal(isPublicAddress(ip), true));
  }

  const notPublic = {
    loopback: ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"],
    "private networks": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd00::1", "fc00::1", "fec0::1"],
    "link-local and cloud metadata": ["169.254.169.254", "fe80::1", "fe80::1%eth0"],
    "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
    unspecified: ["0.0.0.0", "0.1.2.3", "::"],
    "broadcast, multicast, reserved": ["255.255.255.255", "224.0.0.1", "240.0.0.1", "ff02::1", "198.18.0.1"],
    documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "IPv4 inside IPv6": ["::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "::7f00:1", "64:ff9b::7f00:1"],
    "tunnels that carry IPv4": ["64:ff9b:1::a00:1", "2002:7f00:1::1", "2001:0:7f00:1::1", "::ffff:0:127.0.0.1"],
    "never given out": ["1fff:ffff::1", "4000::1", "6001::1", "a001::1", "e000::1"],
    "no addresses at all": ["", "localhost", "example.org", "127.0.0.1:80", "[::1]", "1.2.3.4.5"],
  };
  for (const [kind, addresses] of Object.entries(notPublic)) {
    it(`${kind}: not public`, () => {
      for (const ip of addresses) assert.equal(isPublicAddress(ip), false, ip);
    });
  }
});

describe("loopback", () => {
  it("is this machine in every spelling, and nothing else", () => {
    for (const ip of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) assert.equal(isLoopback(ip), true, ip);
    for (const ip of ["10.0.0.1", "0.0.0.0", "::", "8.8.8.8", "localhost", ""]) assert.equal(isLoopback(ip), false, ip);
  });
});

describe("an address in a list of networks", () => {
  it("is found by itself or by its network, in every spelling", () => {
    const networks = ["127.0.0.1", "10.0.0.0/8", "fd00::/16", "::1"];
    for (const ip of ["127.0.0.1", "::ffff:127.0.0.1", "10.1.2.3", "::ffff:10.0.0.1", "fd00::7", "0:0:0:0:0:0:0:1"])
      assert.ok(isWithin(ip, networks), ip);
    for (const ip of ["127.0.0.2", "11.0.0.1", "fd01::1", "::2", "", "localhost"])
      assert.equal(isWithin(ip, networks), false, ip);
  });
});

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

const LAN = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .map(({ address }) => address);

describe("the hub's own address", () => {
  it("is known in every spelling, for as long as the hub listens there", () => {
    const forget = addOwnAddress({ address: "127.0.0.1", port: 3003 });
    for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "::ffff:7f00:1", "0.0.0.0", "::", "0:0:0:0:0:0:0:0"])
      assert.ok(isOwnAddress(address, 3003), address);
    forget();
    assert.equal(isOwnAddress("127.0.0.1", 3003), false);
  });

  it("is no other port, and no other address of the machine", () => {
    const forget = addOwnAddress({ address: "127.0.0.1", port: 3003 });
    assert.equal(isOwnAddress("127.0.0.1", 3004), false);
    for (const address of ["127.0.0.2", "::1", "8.8.8.8", "0.0.0.1", "localhost", ""])
      assert.equal(isOwnAddress(address, 3003), false, address);
    forget();
  });

  it("is every address of the machine where it listens on all of them", () => {
    for (const every of ["0.0.0.0", "::"]) {
      const forget = addOwnAddress({ address: every, port: 3003 });
      for (const address of [...LAN, ...LAN.map((one) => `${one}%eth0`), "127.0.0.1", "127.9.9.9", "::1", "::"])
        assert.ok(isOwnAddress(address, 3003), address);
      assert.equal(isOwnAddress("8.8.8.8", 3003), false);
      forget();
    }
  });
});
