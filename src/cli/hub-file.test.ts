/** Finding the running hub by DATA/hub.json. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findRunningHub } from "./hub-file.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-hub-file-"));
after(() => rmSync(folder, { recursive: true }));

function found(content: string): ReturnType<typeof findRunningHub> {
  writeFileSync(join(folder, "hub.json"), content);
  return findRunningHub(folder);
}

test("a hub whose process is there is found", () => {
  const hub = { pid: process.pid, url: "http://127.0.0.1:1", token: "local_x", configFile: "/etc/zaguan.json" };
  const config = { configUtc: "2026-01-01T00:00:01Z", configRefused: undefined, database: "postgres://db:5432/zaguan" };
  assert.deepEqual(found(JSON.stringify({ ...hub, ...config, startedUtc: "2026-01-01T00:00:00Z" })), {
    ...hub,
    ...config,
  });
});

test("a file that a dead hub left behind does not count", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  assert.equal(found(JSON.stringify({ pid, url: "http://127.0.0.1:1" })), undefined);
});

test("no file, half a file and nonsense do not count", () => {
  assert.equal(findRunningHub(join(folder, "nowhere")), undefined);
  for (const text of ["", '{"pid":', "null", "[]", '{"pid":"1"}', '{"pid":-1}', '{"pid":0}']) {
    assert.equal(found(text), undefined, text);
  }
});
