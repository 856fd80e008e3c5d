/** Who may come in: the local user without a key, anybody else with a valid one. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { isLimited, mayUse } from "../core/access.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { KeyRecord, KeyTable, Store } from "../store/store.ts";
import { makeKey, mintKey } from "./api-keys.ts";
import { type Authenticator, makeAuthenticator } from "./authenticate.ts";

const LOCAL = { id: "local", kind: "local", name: "local", admin: true };
const UNAUTHORIZED = { name: "ZaguanError", code: "UNAUTHORIZED" };
const UNKNOWN_KEY = { name: "ZaguanError", code: "UNKNOWN_KEY" };

let store: Store;
let now: number;
let lookups: string[];

beforeEach(async () => {
  store = await openSqliteStore(":memory:");
  now = 1000;
  lookups = [];
});
afterEach(() => store.close());

describe("without a key", () => {
  it("the local user comes in from loopback", async () => {
    assert.deepEqual(await authenticator().authenticate({}, true), LOCAL);
  });

  it("nobody comes in from elsewhere", async () => {
    await assert.rejects(authenticator().authenticate({}, false), UNAUTHORIZED);
  });

  it("nobody comes in from loopback if a key is asked for", async () => {
    await assert.rejects(authenticator({ requireKey: true }).authenticate({}, true), UNAUTHORIZED);
  });

  it("nobody comes in from loopback while that is no identity", async () => {
    let isEnough = true;
    const auth = makeAuthenticator(store.keys, { requireKey: false, trustsLoopback: () => isEnough });
    assert.deepEqual(await auth.authenticate({}, true), LOCAL);
    isEnough = false;
    await assert.rejects(auth.authenticate({}, true), UNAUTHORIZED);
  });
});

describe("with the token of the data folder", () => {
  const localToken = "local_abc";
  const authorization = `Bearer ${localToken}`;

  it("the local user comes in, wherever a key is asked for", async () => {
    const auth = makeAuthenticator(store.keys, { requireKey: true, localToken });
    for (const headers of [{ authorization }, { "x-api-key": localToken }])
      assert.deepEqual(await auth.authenticate(headers, false), LOCAL);
  });

  it("nobody comes in by way of a hub, with another token, or where there is none", async () => {
    const auth = makeAuthenticator(store.keys, { requireKey: false, localToken });
    await assert.rejects(auth.authenticate({ authorization, "zaguan-via": "1 hx" }, true), UNKNOWN_KEY);
    await assert.rejects(auth.authenticate({ authorization: `${authorization}d` }, true), UNKNOWN_KEY);
    await assert.rejects(auth.authenticate({ authorization, "x-api-key": "zgn_x" }, true), UNKNOWN_KEY);
    await assert.rejects(authenticator().authenticate({ authorization }, true), UNKNOWN_KEY);
  });
});

describe("with a key", () => {
  it("its holder comes in, from anywhere, by either header", async () => {
    const { key, record } = await createKey("phone", ["house__*"]);
    const holder = { id: `key:${record.id}`, kind: "key", name: "phone", admin: undefined, allow: ["house__*"] };
    const auth = authenticator({ requireKey: true });
    for (const authorization of [`Bearer ${key}`, `bearer  ${key}`, ` Bearer ${key} `]) {
      assert.deepEqual(await auth.authenticate({ authorization }, false), holder);
    }
    assert.deepEqual(await auth.authenticate({ "x-api-key": key }, true), holder);
    assert.deepEqual(await auth.authenticate({ "x-handsai-token": key }, true), holder);
    assert.deepEqual(await auth.authenticate({ "x-api-key": key, authorization: `Bearer ${key}` }, true), holder);
  });

  it("its holder may use every tool if the key says nothing of tools", async () => {
    const { key, record } = await createKey("phone");
    const holder = await authenticator().authenticate({ "x-api-key": key }, false);
    assert.deepEqual([holder.id, holder.kind, holder.name], [`key:${record.id}`, "key", "phone"]);
    assert.deepEqual([holder.allow, holder.admin], [undefined, undefined]);
  });

  it("a wrong one is refused even on loopback, where none is needed", async () => {
    const { key } = await createKey("phone");
    const strange = { authorization: `Bearer ${mintKey().key}` };
    await assert.rejects(authenticator().authenticate(strange, true), UNKNOWN_KEY);
    for (const authorization of ["Bearer", "Bearer ", "", `Basic ${key}`, key, `Bearer ${key} x`]) {
      await assert.rejects(authenticator().authenticate({ authorization }, true), UNAUTHORIZED, authorization);
    }
    await assert.rejects(authenticator().authenticate({ "x-api-key": "" }, true), UNAUTHORIZED);
    for (const wrongKey of ["secret", mintKey().key, `${key}A`]) {
      await assert.rejects(authenticator().authenticate({ "x-api-key": wrongKey }, true), UNKNOWN_KEY, wrongKey);
      await assert.rejects(authenticator().authenticate({ "x-handsai-token": wrongKey }, true), UNKNOWN_KEY, wrongKey);
    }
  });

  it("two different ones are refused, even if one is good", async () => {
    const { key } = await createKey("phone");
    const headers = { authorization: `Bearer ${key}`, "x-api-key": mintKey().key };
    await assert.rejects(authenticator().authenticate(headers, true), UNKNOWN_KEY);
  });

  it("what cannot be a key never reaches the store", async () => {
    await assert.rejects(authenticator().authenticate({ "x-api-key": "zgn_short" }, true), UNKNOWN_KEY);
    assert.deepEqual(lookups, []);
  });

  it("the refusal says nothing of the key", async () => {
    const { key } = mintKey();
    await assert.rejects(authenticator().authenticate({ "x-api-key": key }, true), (error) => {
      assert.ok(!JSON.stringify([String(error), error]).includes(key));
      return true;
    });
  });
});

describe("a key that is revoked while its holder is connected", () => {
  it("leaves the holder no right, whatever it had", async () => {
    const revoked = new Set<string>();
    const isRevoked = (id: string): boolean => revoked.has(id);
    const auth = makeAuthenticator(store.keys, { requireKey: true, isRevoked });
    for (const rights of [{}, { allow: ["house__*"] }, { admin: true }]) {
      const { key, kept } = makeKey({ name: "phone", ...rights });
      const { id } = await store.keys.create(kept);
      const holder = await auth.authenticate({ "x-api-key": key }, false);
      assert.equal(mayUse(holder, "house", "lamp"), true);
      assert.deepEqual([holder.admin, holder.allow], [kept.admin, kept.allow]);
      await store.keys.revoke(id);
      revoked.add(id);
      assert.deepEqual([mayUse(holder, "house", "lamp"), isLimited(holder), holder.admin], [false, true, undefined]);
    }
  });
});

describe("remembering keys", () => {
  it("asks the store once for calls that come together or within two seconds", async () => {
    const { key } = await createKey("phone");
    const auth = authenticator();
    await Promise.all([1, 2, 3].map(() => auth.authenticate({ "x-api-key": key }, false)));
    now += 1999;
    await auth.authenticate({ "x-api-key": key }, false);
    assert.equal(lookups.length, 1);
    now += 1;
    await auth.authenticate({ "x-api-key": key }, false);
    assert.equal(lookups.length, 2);
  });

  it("lets a revoked key live for two seconds at the most, however often it is used", async () => {
    const { key } = await createKey("phone");
    const auth = authenticator();
    await auth.authenticate({ "x-api-key": key }, false);
    await store.keys.revoke("phone");
    now += 1500;
    await auth.authenticate({ "x-api-key": key }, false);
    now += 500;
    await assert.rejects(auth.authenticate({ "x-api-key": key }, false), UNKNOWN_KEY);
  });

  it("does not remember that a key was wrong", async () => {
    const minted = mintKey();
    const auth = authenticator();
    await assert.rejects(auth.authenticate({ "x-api-key": minted.key }, false), UNKNOWN_KEY);
    await store.keys.create({ name: "phone", hash: minted.hash, hint: minted.hint });
    assert.equal((await auth.authenticate({ "x-api-key": minted.key }, false)).name, "phone");
  });

  it("does not remember that the store failed", async () => {
    const { key } = await createKey("phone");
    let failing = true;
    const broken = new Error("disk");
    const keys = watched({ findByHash: (hash) => (failing ? Promise.reject(broken) : store.keys.findByHash(hash)) });
    const auth = makeAuthenticator(keys, { requireKey: false, now: () => now });
    await assert.rejects(auth.authenticate({ "x-api-key": key }, false), broken);
    failing = false;
    assert.equal((await auth.authenticate({ "x-api-key": key }, false)).name, "phone");
  });

  it("remembers a thousand keys and forgets the oldest", async () => {
    const keys = Array.from({ length: 1001 }, () => mintKey().key);
    const record: KeyRecord = { id: "1", name: "n", hash: "", hint: "", createdUtc: "", lastUsedUtc: nowUtc() };
    const auth = makeAuthenticator(watched({ findByHash: async () => record }), { requireKey: true, now: () => now });
    for (const key of keys) await auth.authenticate({ "x-api-key": key }, false);
    assert.equal(lookups.length, 1001);
    await auth.authenticate({ "x-api-key": keys[1000] }, false);
    await auth.authenticate({ "x-api-key": keys[1] }, false);
    assert.equal(lookups.length, 1001);
    await auth.authenticate({ "x-api-key": keys[0] }, false);
    assert.equal(lookups.length, 1002);
  });
});

describe("the time of last use", () => {
  it("is noted at the first use and then at most once a minute", async () => {
    const { key, record } = await createKey("phone");
    const touched: string[] = [];
    const auth = makeAuthenticator(
      watched({
        touch: (id, usedUtc) => {
          touched.push(id);
          return store.keys.touch(id, usedUtc);
        },
      }),
      { requireKey: true, now: () => now },
    );
    for (let use = 0; use < 5; use++, now += 3000) await auth.authenticate({ "x-api-key": key }, false);
    assert.deepEqual(touched, [record.id]);
    assert.ok((await store.keys.list())[0]?.lastUsedUtc);

    await store.keys.touch(record.id, new Date(Date.now() - 61_000).toISOString());
    await auth.authenticate({ "x-api-key": key }, false);
    assert.deepEqual(touched, [record.id, record.id]);
  });

  it("refuses nobody if it cannot be noted", async () => {
    const { key } = await createKey("phone");
    const keys = watched({ touch: () => Promise.reject(new Error("disk full")) });
    const auth = makeAuthenticator(keys, { requireKey: true });
    assert.equal((await auth.authenticate({ "x-api-key": key }, false)).name, "phone");
  });
});

function authenticator({ requireKey = false } = {}): Authenticator {
  return makeAuthenticator(watched({}), { requireKey, now: () => now });
}

/** The real table, with its lookups written down and some methods replaced. */
function watched(replaced: Partial<KeyTable>): KeyTable {
  const keys = store.keys;
  const findByHash = replaced.findByHash ?? ((hash) => keys.findByHash(hash));
  return {
    create: (key) => keys.create(key),
    list: () => keys.list(),
    revoke: (idOrName) => keys.revoke(idOrName),
    touch: (id, usedUtc) => keys.touch(id, usedUtc),
    countActive: () => keys.countActive(),
    ...replaced,
    findByHash: (hash) => {
      lookups.push(hash);
      return findByHash(hash);
    },
  };
}

async function createKey(name: string, allow?: readonly string[]): Promise<{ key: string; record: KeyRecord }> {
  const { key, hash, hint } = mintKey();
  return { key, record: await store.keys.create({ name, hash, hint, allow }) };
}

function nowUtc(): string {
  return new Date().toISOString();
}
