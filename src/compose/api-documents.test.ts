import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { READ_LIMITS } from "../openapi/limits.ts";
import { documentReader } from "./api-documents.ts";

const INFO = { openapi: "3.1.0", info: { title: "T", version: "1" }, servers: [{ url: "https://a.example.org" }] };

function pathsFor(count: number): object {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`/p${n}`, { get: { description: "x".repeat(500) } }]),
  );
}

describe("reading a document", () => {
  for (const [what, count] of [
    ["a small one", 2],
    ["a large one, in a thread of its own", 1_000],
  ] as const) {
    it(`gives the operations of ${what}`, async () => {
      const read = await documentReader.read(JSON.stringify({ ...INFO, paths: pathsFor(count) }), {});
      assert.equal(read.operations.length, count);
    });
  }

  it("leaves the hub free while a thread works", async () => {
    const yaml = `openapi: 3.0.0\ninfo: {title: T, version: "1"}\npaths:\n${Array.from({ length: 3_000 }, (_, n) => `  /p${n}: {get: {description: ${"x".repeat(300)}, responses: {}}}`).join("\n")}`;
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    await assert.rejects(documentReader.read(yaml, {}), { code: "INVALID_PARAMS", message: /3000 operations/ });
    clearInterval(counting);
    assert.ok(turns > 1, String(turns));
  });

  it("says in the same words what is wrong, in a thread and without", async () => {
    const broken = { openapi: "4.0.0" };
    for (const text of [JSON.stringify(broken), `openapi: 4.0.0\n# ${"x".repeat(200_000)}`]) {
      await assert.rejects(documentReader.read(text, {}), {
        code: "INVALID_PARAMS",
        message: /version 4\.0\.0 is not read/,
      });
    }
  });
});

describe("fetching a document", () => {
  it("gives its text; refuses another status, too much of it, and a private address", async () => {
    const server = createServer(({ url }, response) => {
      if (url === "/missing") response.writeHead(404).end("no");
      else if (url === "/large") response.end(Buffer.alloc(READ_LIMITS.bytes + 1, 32));
      else response.end("hello");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      assert.equal(await documentReader.fetch(`${origin}/a`, true), "hello");
      await assert.rejects(documentReader.fetch(`${origin}/missing`, true), { message: /404/ });
      await assert.rejects(documentReader.fetch(`${origin}/large`, true), { message: /larger than/ });
      await assert.rejects(documentReader.fetch(`${origin}/a`, false), { code: "FORBIDDEN_ADDRESS" });
    } finally {
      server.close();
    }
  });
});
