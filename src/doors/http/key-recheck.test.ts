import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ZaguanError } from "../../errors.ts";
import { type CheckedRequest, KeyRechecks } from "./key-recheck.ts";

const LATER = 60_000;
const refuse = (): never => {
  throw new ZaguanError("UNAUTHORIZED");
};

let staying: KeyRechecks;
let connection: PassThrough;
beforeEach(() => {
  staying = new KeyRechecks();
  connection = new PassThrough();
});
afterEach(() => staying.close());

/** One request on the connection. */
function entered(recheck: () => unknown, since = 0): CheckedRequest {
  return staying.enter(connection, recheck, since);
}

async function isCut(): Promise<boolean> {
  await staying.look(LATER);
  return connection.destroyed;
}

describe("who stays", () => {
  it("is cut off when the key is no longer one", async () => {
    entered(async () => refuse());
    assert.equal(await isCut(), true);
  });

  it("stays with a key that is still good", async () => {
    entered(async () => "somebody");
    assert.equal(await isCut(), false);
  });

  it("is not sent away because the store does not answer", async () => {
    entered(() => {
      throw new ZaguanError("INTERNAL");
    });
    assert.equal(await isCut(), false);
  });

  it("is looked at though it has just come, where a key was revoked", async () => {
    entered(refuse, performance.now());
    await staying.look(Number.POSITIVE_INFINITY);
    assert.equal(connection.destroyed, true);
  });

  it("is not looked at while it has just come", async () => {
    entered(refuse, LATER - 100);
    assert.equal(await isCut(), false);
  });

  it("is not looked at when it has its answer, though the connection is kept", async () => {
    staying.leave(entered(refuse));
    assert.equal(await isCut(), false);
  });

  it("is looked at whoever else came on the same connection, before it or after it", async () => {
    const before = entered(async () => "somebody");
    entered(refuse);
    staying.leave(entered(async () => "somebody"));
    staying.leave(before);
    assert.equal(await isCut(), true);
  });

  it("is forgotten when it leaves, also where it never got an answer", async () => {
    let looks = 0;
    entered(() => looks++);
    connection.destroy();
    await new Promise((resolve) => connection.once("close", resolve));
    entered(() => looks++);
    await staying.look(LATER);
    assert.equal(looks, 0);
  });
});
