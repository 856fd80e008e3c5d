/** Sealing anew what is stored, while somebody else writes there too. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, it } from "node:test";
import { contextOf } from "../registry/connection.ts";
import { type KeyRing, openSecrets } from "../security/secrets.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";
import { resealAll } from "./rotate-key.ts";

const [OLD, NEW] = [0, 1].map(() => randomBytes(32).toString("base64")) as [string, string];

function keys(...all: readonly string[]): Promise<KeyRing> {
  return openSecrets({ env: all.join(","), file: "none" });
}

describe("all that is stored under seal", () => {
  let store: Store;
  let old: KeyRing;
  let both: KeyRing;
  beforeEach(async () => {
    store = await openSqliteStore(":memory:");
    [old, both] = await Promise.all([keys(OLD), keys(NEW, OLD)]);
  });
  afterEach(() => store.close());

  const register = async (name: string, sealed: string): Promise<string> => {
    const server = { name, origin: "registered", authType: "apikey", allowPrivate: false, sealed } as const;
    return (await store.registry.servers.create(server)).id;
  };
  const credentialsOf = async (id: string, ring: KeyRing): Promise<unknown> => {
    const record = await store.registry.servers.get(id);
    return ring.open(record?.sealed ?? "", contextOf(record?.name ?? ""));
  };

  it("is sealed anew, and what nobody can open is named and left as it is", async () => {
    const id = await register("Letters", old.seal("k", contextOf("Letters")));
    const lost = await register("lost", (await keys(randomBytes(32).toString("hex"))).seal("k", contextOf("lost")));
    const before = await store.registry.servers.get(lost);
    assert.deepEqual(await resealAll(store, both), { count: 1, unopened: ["lost"] });
    assert.equal(await credentialsOf(id, await keys(NEW)), "k");
    assert.deepEqual(await store.registry.servers.get(lost), before);
  });

  it("is looked at again where another writer was quicker, whose word stays", async () => {
    const id = await register("letters", old.seal("first", contextOf("letters")));
    let isFirst = true;
    const { sealed } = store;
    const overtaken: Store = {
      ...store,
      sealed: {
        list: () => sealed.list(),
        replace: async (...given) => {
          // A node that still seals with the old key gives the server other credentials in this very moment.
          if (isFirst) await store.registry.servers.change(id, { sealed: old.seal("second", contextOf("letters")) });
          isFirst = false;
          return sealed.replace(...given);
        },
      },
    };
    assert.deepEqual(await resealAll(overtaken, both), { count: 1, unopened: [] });
    assert.equal(await credentialsOf(id, await keys(NEW)), "second");
  });
});
