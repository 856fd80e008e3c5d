/** What commands that open the store by themselves read of the file: the address of the database, and nothing else of it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { clusterInFile } from "./config-file.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-config-file-"));
after(() => rmSync(folder, { recursive: true }));

function read(text: string, env: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
  const file = join(folder, "zaguan.json");
  writeFileSync(file, text);
  return clusterInFile("database", file, env);
}

describe("the database in the file", () => {
  it("is none without a file, and without the section", async () => {
    assert.equal(await clusterInFile("database", join(folder, "none.json"), {}), undefined);
    assert.equal(await read("{ this is no JSON"), undefined);
    assert.equal(await read('{ "cluster": {} }'), undefined);
  });

  it("is found though the rest is wrong, or names variables of the hub's environment", async () => {
    const rest = `"mcpServers": { "a": { "url": "http://x/\${NOT_SET}", "unknown": 1 } }`;
    const text = `{ ${rest}, "cluster": { "database": "postgres://u:\${PASSWORD}@db/x" }, } // end`;
    assert.equal(await read(text, { PASSWORD: "p" }), "postgres://u:p@db/x");
  });

  it("is refused in one line where its own variable is not set, or the file cannot be read", async () => {
    await assert.rejects(read(`{ "cluster": { "database": "\${NOT_SET}" } }`), {
      name: "ConfigError",
      message: "zaguan.json: cluster.database: the environment variable NOT_SET is not set",
    });
    await assert.rejects(read('{ "cluster": '), { name: "ConfigError", message: /^zaguan\.json: line 1, column/ });
  });
});
