import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryDocuments } from "./memory-documents.ts";

describe("documents in memory", () => {
  test("are there after they were put, and gone after they were deleted", async () => {
    const documents = memoryDocuments();
    assert.equal(await documents.get("a", "k"), undefined);
    await documents.put("a", "k", { one: 1 });
    assert.deepEqual(await documents.get("a", "k"), { one: 1 });
    await documents.delete("a", "k");
    assert.equal(await documents.get("a", "k"), undefined);
  });

  test("are apart by collection and key, however these are spelled", async () => {
    const documents = memoryDocuments();
    await documents.put("a", "b,c", 1);
    await documents.put("a,b", "c", 2);
    await documents.put("__proto__", "__proto__", 3);
    const all = [documents.get("a", "b,c"), documents.get("a,b", "c"), documents.get("__proto__", "__proto__")];
    assert.deepEqual(await Promise.all(all), [1, 2, 3]);
  });

  test("share no object with those who put or got them", async () => {
    const documents = memoryDocuments();
    const value = { list: [1] };
    await documents.put("a", "k", value);
    value.list.push(2);
    ((await documents.get("a", "k")) as typeof value).list.push(3);
    assert.deepEqual(await documents.get("a", "k"), { list: [1] });
  });

  test("are changed in one step, from undefined on", async () => {
    const documents = memoryDocuments();
    const increment = (value: unknown) => ((value as number | undefined) ?? 0) + 1;
    const written = await Promise.all(Array.from({ length: 100 }, () => documents.update("a", "n", increment)));
    assert.equal(await documents.get("a", "n"), 100);
    assert.equal(new Set(written).size, 100);
  });

  test("stay as they are when the change fails", async () => {
    const documents = memoryDocuments();
    await documents.put("a", "k", 1);
    const failing = documents.update("a", "k", () => {
      throw new RangeError("no");
    });
    await assert.rejects(failing, RangeError);
    assert.equal(await documents.get("a", "k"), 1);
  });
});
