/** Every real document is imported into a running hub, and the official inspector lists its tools and finds no fault with them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readDocument } from "../../src/openapi/document.ts";
import { operationsOf } from "../../src/openapi/operations.ts";
import { Inspector, resultOf } from "../peers/support/inspector.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { DOCUMENTS, type RealDocument } from "./documents.ts";
import { textOf } from "./support/stored.ts";

/** Nothing is called here. */
const NOBODY = "http://127.0.0.1:9";

interface Imported {
  readonly tools: number;
  readonly skipped: readonly { readonly where: string }[];
}

describe("imported into a hub", () => {
  const temp = mkdtempSync(join(tmpdir(), "zaguan-openapi-"));
  const inspector = new Inspector(temp);
  let hub: SpawnedZaguan;
  let client: RegistryClient;
  before(async () => {
    hub = await spawnZaguan();
    client = new RegistryClient(hub.url);
  });
  after(async () => {
    await hub?.stop();
    rmSync(temp, { recursive: true, force: true });
  });

  const importIt = async (document: RealDocument): Promise<Imported> => {
    const wanted = { name: document.name, document: textOf(document), baseUrl: NOBODY };
    return (await client.done("POST", "/admin/apis", wanted)) as unknown as Imported;
  };

  for (const document of DOCUMENTS) {
    const { name, operations } = document;

    test(`${name}: every operation is listed by inspector --cli --strict`, async (t) => {
      const startedAt = performance.now();
      const { tools, skipped } = await importIt(document);
      t.diagnostic(`${tools} tools, imported in ${Math.round(performance.now() - startedAt)} ms`);
      assert.equal(tools, operations);
      assert.deepEqual(
        skipped.filter(({ where }) => !where.startsWith("components.securitySchemes.")),
        [],
      );
      const listed = await list(`${hub.url}/servers/${name}/mcp`);
      assert.deepEqual(listed, operationsOf(readDocument(textOf(document))).operations.map(nameOf));
    });
  }

  test("all of them at once in the whole catalogue", async () => {
    const listed = await list(`${hub.url}/mcp`);
    const all = DOCUMENTS.reduce((sum, { operations }) => sum + operations, 0);
    assert.ok(listed.length >= all, `${listed.length} of ${all}`);
    assert.equal(new Set(listed).size, listed.length);
  });

  const list = async (url: string): Promise<string[]> => {
    const ran = await inspector.run(url, "--transport", "http", "--method", "tools/list", "--strict");
    assert.equal(ran.code, 0, ran.stderr.slice(0, 4_000));
    return resultOf<{ tools: Named[] }>(ran).tools.map(nameOf);
  };
});

interface Named {
  readonly name: string;
}

function nameOf({ name }: Named): string {
  return name;
}
