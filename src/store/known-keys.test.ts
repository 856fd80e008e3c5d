/** Who may come in while the store is away. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ZaguanError } from "../errors.ts";
import { KnownKeys } from "./known-keys.ts";
import type { KeyRecord, KeyTable } from "./store.ts";

const record = (name: string): KeyRecord => ({ id: name, name, hash: `#${name}`, hint: "", createdUtc: "" });

function open(...names: readonly string[]) {
  const state = { names: [...names], isAway: false, isSilent: false };
  const there = async <Answer>(answer: () => Answer): Promise<Answer> => {
    if (state.isSilent) return new Promise(() => {});
    if (state.isAway) throw new ZaguanError("STORE_UNAVAILABLE", { params: { reason: "away" } });
    return answer();
  };
  const table = {
    list: () => there(() => [...state.names.map(record), { ...record("revoked"), revokedUtc: "2026" }]),
    findByHash: (hash: string) => there(() => state.names.map(record).find((one) => one.hash === hash)),
  } as Partial<KeyTable> as KeyTable;
  const keys = new KnownKeys(table, 1);
  return { state, keys, find: async (name: string) => (await keys.findByHash(`#${name}`))?.name };
}

describe("known keys", () => {
  it("let in whoever had a key, used here or not, and nobody else", async () => {
    const { state, keys, find } = open("phone", "car");
    await keys.refresh();
    state.isAway = true;
    assert.deepEqual([await find("phone"), await find("car")], ["phone", "car"]);
    for (const name of ["stranger", "revoked"]) await assert.rejects(find(name), { code: "STORE_UNAVAILABLE" });
  });

  it("know one that was made later and used here", async () => {
    const { state, keys, find } = open("phone");
    await keys.refresh();
    state.names.push("late");
    assert.equal(await find("late"), "late");
    state.isAway = true;
    assert.equal(await find("late"), "late");
  });

  it("forget one that the store does not know any more", async () => {
    const { state, keys, find } = open("phone");
    await keys.refresh();
    state.names.length = 0;
    assert.equal(await find("phone"), undefined);
    state.isAway = true;
    await assert.rejects(find("phone"), { code: "STORE_UNAVAILABLE" });
  });

  it("forget all when one was revoked and the store went away before they were read again", async () => {
    const { state, keys, find } = open("phone", "car");
    await keys.refresh();
    state.isAway = true;
    await assert.rejects(keys.refresh());
    for (const name of ["phone", "car"]) await assert.rejects(find(name), { code: "STORE_UNAVAILABLE" });
  });

  it("do not wait for a store that says nothing", async () => {
    const { state, keys, find } = open("phone");
    await keys.refresh();
    state.isSilent = true;
    assert.equal(await find("phone"), "phone");
  });
});
