import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { describe, it } from "node:test";
import { addOwnAddress, isOwnAddress } from "./own-address.ts";

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
