/**
 * What a hub without a file loads before somebody asks for more: none of zod, whose schemas take longer than all the rest, and
 * nothing of PostgreSQL and of NATS.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";

const HUB = `
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  const { openZaguan } = await import(${JSON.stringify(new URL("../src/index.ts", import.meta.url))});
  const { resolveServeOptions } = await import(${JSON.stringify(new URL("../src/config/env.ts", import.meta.url))});
  const serve = resolveServeOptions({ port: "0" }, {});
  const zaguan = await openZaguan({ serve, env: {}, http: true });
  await zaguan.close();
  console.log(JSON.stringify(loaded));
`;

it("a hub without a file starts without zod, PostgreSQL and NATS", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-start-"));
  try {
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", HUB], {
      cwd: folder,
      encoding: "utf8",
    });
    const loaded = JSON.parse(said.trim().split("\n").at(-1) ?? "") as readonly string[];
    assert.ok(loaded.length > 100, `${loaded.length}`);
    assert.deepEqual(
      loaded.filter((url) => /\/(?:zod|postgres|bus|@nats-io)\//.test(url)),
      [],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
