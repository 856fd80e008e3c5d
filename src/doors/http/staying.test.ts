import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { ZaguanError } from "../../errors.ts";
import { Staying } from "./staying.ts";

const LATER = 60_000;

function seated(recheck: (() => unknown) | undefined, since = 0) {
  const staying = new Staying();
  const connection = new PassThrough();
  Object.assign(staying.enter(connection), { recheck, since });
  return { staying, connection };
}

describe("who stays", () => {
  it("is cut off when the key is no longer one", async () => {
    const { staying, connection } = seated(async () => {
      throw new ZaguanError("UNAUTHORIZED");
    });
    await staying.look(LATER);
    assert.equal(connection.destroyed, true);
    staying.close();
  });

  it("stays with a key that is still good", async () => {
    const { staying, connection } = seated(async () => "somebody");
    await staying.look(LATER);
    assert.equal(connection.destroyed, false);
    staying.close();
  });

  it("is not sent away because the store does not answer", async () => {
    const { staying, connection } = seated(() => {
      throw new ZaguanError("INTERNAL");
    });
    await staying.look(LATER);
    assert.equal(connection.destroyed, false);
    staying.close();
  });

  it("is not looked at while it has just come, or came without a key", async () => {
    const refuse = () => {
      throw new ZaguanError("UNAUTHORIZED");
    };
    const justCome = seated(refuse, LATER - 100);
    const withoutKey = seated(undefined);
    await Promise.all([justCome.staying.look(LATER), withoutKey.staying.look(LATER)]);
    assert.deepEqual([justCome.connection.destroyed, withoutKey.connection.destroyed], [false, false]);
    for (const { staying } of [justCome, withoutKey]) staying.close();
  });

  it("is forgotten when it leaves", async () => {
    const { staying, connection } = seated(undefined);
    connection.destroy();
    await new Promise((resolve) => connection.once("close", resolve));
    assert.equal(staying.at(connection), undefined);
    staying.close();
  });
});
