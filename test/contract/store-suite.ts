/** The store's contract as tests, for every implementation of `src/store/store.ts`. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { NewKey, Store } from "../../src/store/store.ts";

export interface StoreUnderTest {
  readonly store: Store;
  /** Another store over the same data; the first may still be open. */
  reopen(): Promise<Store>;
  /** Closes every store it gave out and removes the data. */
  dispose(): Promise<void>;
}

const UNICODE = "salón 客厅 🏠 \u0000 e\u0301 \u202e";
/** A database that cannot hold U+0000 has to write it in some other way; characters that could be that way mean themselves. */
const PRIVATE_USE = "\u{F8E0} \u{F8E0}\u{F8E1} \u{F8E1}";
const SQL = `'); DROP TABLE documents; -- " % _ ? $1 :x`;

export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a store`, () => {
    let subject: StoreUnderTest;
    let store: Store;

    beforeEach(async () => {
      subject = await open();
      store = subject.store;
    });
    afterEach(() => subject.dispose());

    describe("keys", () => {
      it("gives back what was created, with an id and a time", async () => {
        const created = await store.keys.create({ ...newKey("phone"), allow: ["house__*", "light_on"] });
        assert.match(created.id, /./);
        assert.equal(new Date(created.createdUtc).toISOString(), created.createdUtc);
        assert.deepEqual(created, {
          id: created.id,
          createdUtc: created.createdUtc,
          name: "phone",
          hash: "hash of phone",
          hint: "zgn_phon…",
          allow: ["house__*", "light_on"],
        });
        assert.deepEqual(await store.keys.findByHash("hash of phone"), created);
        assert.deepEqual(await store.keys.list(), [created]);
      });

      it("tells a key for all tools from a key for none", async () => {
        await store.keys.create(newKey("all"));
        await store.keys.create({ ...newKey("none"), allow: [] });
        assert.equal((await store.keys.findByHash("hash of all"))?.allow, undefined);
        assert.deepEqual((await store.keys.findByHash("hash of none"))?.allow, []);
      });

      it("tells the key of an administrator from an ordinary one", async () => {
        await store.keys.create({ ...newKey("admin"), admin: true });
        await store.keys.create({ ...newKey("no"), admin: false });
        await store.keys.create(newKey("nothing said"));
        assert.deepEqual(
          (await store.keys.list()).map((key) => ("admin" in key ? key.admin : "absent")),
          [true, "absent", "absent"],
        );
      });

      it("lists in the order of creation, revoked ones too", async () => {
        for (const each of ["c", "a", "b"]) await store.keys.create(newKey(each));
        await store.keys.revoke("a");
        const listed = await store.keys.list();
        assert.deepEqual(
          listed.map((key) => [key.name, key.revokedUtc !== undefined]),
          [
            ["c", false],
            ["a", true],
            ["b", false],
          ],
        );
      });

      it("refuses the name of an active key, and allows that of a revoked one", async () => {
        await store.keys.create(newKey("phone"));
        await assert.rejects(store.keys.create(newKey("phone", "other")), TypeError);
        assert.equal(await store.keys.findByHash("other"), undefined);
        await store.keys.revoke("phone");
        await store.keys.create(newKey("phone", "other"));
        assert.equal((await store.keys.findByHash("other"))?.name, "phone");
      });

      it("lets only one of two stores take a name", async () => {
        const other = await subject.reopen();
        const results = await Promise.allSettled([
          store.keys.create(newKey("phone", "one")),
          other.keys.create(newKey("phone", "two")),
        ]);
        assert.deepEqual(results.map((result) => result.status).sort(), ["fulfilled", "rejected"]);
        assert.equal(await store.keys.countActive(), 1);
      });

      it("never stores one hash twice", async () => {
        await store.keys.create(newKey("phone", "same"));
        await assert.rejects(store.keys.create(newKey("tablet", "same")));
        assert.equal((await store.keys.list()).length, 1);
      });

      it("revokes by name, once", async () => {
        await store.keys.create(newKey("phone"));
        assert.equal(await store.keys.revoke("phone"), true);
        assert.equal(await store.keys.revoke("phone"), false);
        assert.equal(await store.keys.revoke("nobody"), false);
      });

      it("revokes by id, even if another key has that id for a name", async () => {
        const phone = await store.keys.create(newKey("phone"));
        await store.keys.create(newKey(phone.id, "impostor"));
        assert.equal(await store.keys.revoke(phone.id), true);
        assert.equal(await store.keys.findByHash(phone.hash), undefined);
        assert.equal((await store.keys.findByHash("impostor"))?.name, phone.id);
      });

      it("does not find a revoked key by its hash, in any store", async () => {
        const other = await subject.reopen();
        await store.keys.create(newKey("phone"));
        assert.ok(await other.keys.findByHash("hash of phone"));
        await store.keys.revoke("phone");
        assert.equal(await other.keys.findByHash("hash of phone"), undefined);
        assert.equal(await store.keys.findByHash("hash of phone"), undefined);
      });

      it("notes when a key was last used, and only on that key", async () => {
        const phone = await store.keys.create(newKey("phone"));
        await store.keys.create(newKey("tablet"));
        await store.keys.touch(phone.id, "2026-01-02T03:04:05.678Z");
        const times = (await store.keys.list()).map((key) => key.lastUsedUtc);
        assert.deepEqual(times, ["2026-01-02T03:04:05.678Z", undefined]);
      });

      it("counts the active ones", async () => {
        assert.equal(await store.keys.countActive(), 0);
        await store.keys.create(newKey("phone"));
        await store.keys.create(newKey("tablet"));
        await store.keys.revoke("phone");
        assert.equal(await store.keys.countActive(), 1);
      });

      it("takes any text for a name", async () => {
        for (const each of ["salón 客厅 🏠", SQL, UNICODE, PRIVATE_USE]) {
          await store.keys.create({ ...newKey(each), allow: [each] });
          assert.deepEqual((await store.keys.findByHash(`hash of ${each}`))?.allow, [each]);
          assert.equal(await store.keys.revoke(each), true);
        }
        assert.equal((await store.keys.list()).length, 4);
      });
    });

    describe("sessions of MCP", () => {
      const HERE = { node: "here", boot: "1" };
      const THERE = { node: "there", boot: "2" };
      const session = (id: string, holder = HERE) => ({
        ...holder,
        id,
        door: "mcp",
        scope: UNICODE,
        principalId: "key:1",
        state: `["${SQL.replaceAll('"', '\\"')}"]`,
      });

      it("come back as they were written, to whoever opens the store", async () => {
        await store.mcpSessions.put(session("a"), "2030-01-01");
        const again = await subject.reopen();
        assert.deepEqual(await again.mcpSessions.get("a"), session("a"));
        assert.equal(await again.mcpSessions.get("b"), undefined);
      });

      it("are moved from their holder once", async () => {
        await store.mcpSessions.put(session("a"), "2030-01-01");
        const moved = await Promise.all([THERE, { node: "third", boot: "3" }].map((to) => move("a", HERE, to)));
        assert.deepEqual(moved.toSorted(), [false, true]);
        const holder = (await store.mcpSessions.get("a"))?.node;
        assert.equal(holder, moved[0] ? "there" : "third");
      });

      it("are changed and deleted by their holder alone", async () => {
        await store.mcpSessions.put(session("a", THERE), "2030-01-01");
        await store.mcpSessions.put({ ...session("a"), state: "[]" }, "2030-01-01");
        await store.mcpSessions.delete("a", HERE);
        assert.deepEqual(await store.mcpSessions.get("a"), session("a", THERE));
        await store.mcpSessions.put({ ...session("a", THERE), state: "[]" }, "2030-01-01");
        assert.equal((await store.mcpSessions.get("a"))?.state, "[]");
        await store.mcpSessions.delete("a", THERE);
        assert.equal(await store.mcpSessions.get("a"), undefined);
      });

      it("are forgotten when nobody was seen to use them", async () => {
        for (const id of ["a", "b", "c"]) await store.mcpSessions.put(session(id), "2030-01-01");
        await store.mcpSessions.touch(["b", "nobody"], "2030-01-03");
        await store.mcpSessions.deleteUnseen("2030-01-02");
        const left = await Promise.all(["a", "b", "c"].map((id) => store.mcpSessions.get(id)));
        assert.deepEqual(
          left.map((one) => one?.id),
          [undefined, "b", undefined],
        );
      });

      const move = (...[id, from, to]: Parameters<Store["mcpSessions"]["move"]>) =>
        store.mcpSessions.move(id, from, to);
    });

    describe("documents", () => {
      it("has nothing where nothing was put", async () => {
        assert.equal(await store.documents.get("house", "state"), undefined);
      });

      it("gives back every kind of JSON value", async () => {
        for (const value of [null, false, 0, -1.5e300, "", "text", [], [1, [null]], {}, { a: { b: [true] } }]) {
          await store.documents.put("house", "state", value);
          assert.deepEqual(await store.documents.get("house", "state"), value);
        }
      });

      it("keeps collections and keys apart", async () => {
        await store.documents.put("a", "b c", 1);
        await store.documents.put("a b", "c", 2);
        await store.documents.put("A", "b c", 3);
        assert.deepEqual(await all(store, ["a", "b c"], ["a b", "c"], ["A", "b c"]), [1, 2, 3]);
      });

      it("lists all of a collection, and of no other, in the order of their keys", async () => {
        assert.deepEqual(await store.documents.list("a"), []);
        for (const key of ["ñ", "Z", "b", "a", "🏠", "%"]) await store.documents.put("a", key, { key });
        await store.documents.put("A", "c", 1);
        const keys = ["%", "Z", "a", "b", "ñ", "🏠"];
        assert.deepEqual(
          await store.documents.list("a"),
          keys.map((key) => ({ key, value: { key } })),
        );
      });

      it("deletes one document, and does not mind if there is none", async () => {
        await store.documents.put("house", "one", 1);
        await store.documents.put("house", "two", 2);
        await store.documents.delete("house", "one");
        await store.documents.delete("house", "one");
        assert.deepEqual(await all(store, ["house", "one"], ["house", "two"]), [undefined, 2]);
      });

      it("deletes one only if it still is what it was", async () => {
        for (const value of [{ b: [1, "ñ"], a: null }, "two", 0, null]) {
          await store.documents.put("house", "one", value);
          await store.documents.delete("house", "one", "another");
          assert.deepEqual(await store.documents.get("house", "one"), value);
          await store.documents.delete("house", "one", value);
          assert.equal(await store.documents.get("house", "one"), undefined);
        }
      });

      it("refuses what is no JSON value and keeps the old one", async () => {
        await store.documents.put("house", "state", "good");
        for (const bad of [undefined, () => 1, 1n, circular()]) {
          await assert.rejects(store.documents.put("house", "state", bad), TypeError);
          await assert.rejects(
            store.documents.update("house", "state", () => bad),
            TypeError,
          );
        }
        assert.equal(await store.documents.get("house", "state"), "good");
      });

      it("keeps Unicode to the letter, in collections, keys and values", async () => {
        for (const odd of [UNICODE, PRIVATE_USE]) await store.documents.put(odd, odd, odd);
        assert.deepEqual(await all(store, [UNICODE, UNICODE], [PRIVATE_USE, PRIVATE_USE]), [UNICODE, PRIVATE_USE]);
        const place = "salón 客厅 🏠";
        await store.documents.put(place, place, { [UNICODE]: [UNICODE, "\ud800"] });
        assert.deepEqual(await store.documents.get(place, place), { [UNICODE]: [UNICODE, "\ud800"] });
      });

      it("takes text that looks like SQL for text", async () => {
        await store.documents.put(SQL, SQL, { [SQL]: SQL });
        assert.deepEqual(await store.documents.get(SQL, SQL), { [SQL]: SQL });
        assert.equal(await store.documents.get("%", "%"), undefined);
        await store.documents.delete(SQL, SQL);
        assert.equal(await store.documents.get(SQL, SQL), undefined);
      });

      it("keeps a member named __proto__ a plain member", async () => {
        const value = JSON.parse('{"__proto__": {"admin": true}}');
        await store.documents.put("house", "state", value);
        const read = (await store.documents.get("house", "state")) as Record<string, unknown>;
        assert.deepEqual(Object.keys(read), ["__proto__"]);
        assert.equal(read["admin"], undefined);
      });

      it("keeps a large document whole", async () => {
        const value = { text: "é".repeat(2_000_000), list: Array.from({ length: 50_000 }, (_, index) => index) };
        await store.documents.put("tools", "big", value);
        assert.deepEqual(await store.documents.get("tools", "big"), value);
      });
    });

    describe("updates", () => {
      it("starts from undefined, then from what is there, and gives back what was written", async () => {
        const seen: unknown[] = [];
        const append = (value: unknown): unknown => {
          seen.push(value);
          return { times: seen.length, skipped: undefined };
        };
        assert.deepEqual(await store.documents.update("house", "state", append), { times: 1 });
        assert.deepEqual(await store.documents.update("house", "state", append), { times: 2 });
        assert.deepEqual(seen, [undefined, { times: 1 }]);
        assert.deepEqual(await store.documents.get("house", "state"), { times: 2 });
      });

      it("changes nothing if the change throws, and passes its error on", async () => {
        await store.documents.put("house", "state", 1);
        const refusal = new RangeError("no");
        const change = (): never => {
          throw refusal;
        };
        await assert.rejects(store.documents.update("house", "state", change), (error) => error === refusal);
        assert.equal(await store.documents.get("house", "state"), 1);
        assert.equal(await store.documents.update("house", "state", increment), 2);
      });

      it("refuses a change that waits for something", async () => {
        await assert.rejects(
          store.documents.update("house", "state", async () => 1),
          TypeError,
        );
        assert.equal(await store.documents.get("house", "state"), undefined);
      });

      it("loses none of 200 increments each from two stores", async () => {
        const other = await subject.reopen();
        await Promise.all([incrementTimes(store, 200), incrementTimes(other, 200)]);
        assert.equal(await store.documents.get("counter", "n"), 400);
        assert.equal(await other.documents.get("counter", "n"), 400);
      });
    });

    it("keeps everything over a close", async () => {
      const key = await store.keys.create({ ...newKey("phone"), allow: ["*"] });
      await store.keys.create(newKey("lost"));
      await store.keys.revoke("lost");
      await store.keys.touch(key.id, "2026-01-02T03:04:05.678Z");
      await store.documents.put("house", "state", { lights: { salon: true } });
      const listed = await store.keys.list();
      await store.close();

      const again = await subject.reopen();
      assert.deepEqual(await again.keys.list(), listed);
      assert.equal(await again.keys.countActive(), 1);
      assert.deepEqual(await again.documents.get("house", "state"), { lights: { salon: true } });
    });

    it("may be closed twice, and rejects what comes later", async () => {
      await store.close();
      await store.close();
      await assert.rejects(store.documents.put("house", "state", 1), { code: "INTERNAL" });
      await assert.rejects(store.keys.countActive(), { code: "INTERNAL" });
    });
  });
}

/** The change that lost updates show themselves with. */
export function increment(value: unknown): number {
  return ((value as number | undefined) ?? 0) + 1;
}

async function incrementTimes(store: Store, times: number): Promise<void> {
  for (let done = 0; done < times; done++) await store.documents.update("counter", "n", increment);
}

function all(store: Store, ...places: [string, string][]): Promise<unknown[]> {
  return Promise.all(places.map(([collection, key]) => store.documents.get(collection, key)));
}

function newKey(name: string, hash = `hash of ${name}`): NewKey {
  return { name, hash, hint: `zgn_${name.slice(0, 4)}…` };
}

function circular(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}
