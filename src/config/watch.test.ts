/** Watching a real file in a real folder; every wait is for a condition, with a generous limit. */
import assert from "node:assert/strict";
import fs, { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { watchConfig } from "./watch.ts";

let folder = "";
let file = "";
let levels: string[] = [];
let refusals: string[] = [];
let watching: { close(): void } | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-watch-"));
  file = join(folder, "zaguan.json");
  levels = [];
  refusals = [];
});
afterEach(() => {
  watching?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("watching zaguan.json", () => {
  it("announces a change, with variables, and not what was there before", async () => {
    save("warn");
    watching = start({ LEVEL: "debug" });
    writeFileSync(file, `{"log": {"level": "\${LEVEL}"}}`);
    await until(() => levels.length > 0);
    assert.deepEqual(levels, ["debug"]);
  });

  it("announces creation, saving by rename, and deletion with recreation", async () => {
    watching = start();
    save("warn");
    await until(() => levels.at(-1) === "warn");
    const temporary = join(folder, "zaguan.json~");
    writeFileSync(temporary, text("error"));
    renameSync(temporary, file);
    await until(() => levels.at(-1) === "error");
    rmSync(file);
    save("trace");
    await until(() => levels.at(-1) === "trace");
    assert.deepEqual(levels, ["warn", "error", "trace"]);
    assert.deepEqual(refusals, []);
  });

  it("does not announce the same content twice", async () => {
    save("warn");
    watching = start();
    await looked(() => save("warn"));
    save("error");
    await until(() => levels.length > 0);
    await looked(() => save("error"));
    save("debug");
    await until(() => levels.length > 1);
    assert.deepEqual(levels, ["error", "debug"]);
  });

  it("refuses a broken file once, and says nothing when it is put back as it was", async () => {
    save("warn");
    watching = start();
    writeFileSync(file, "{");
    await until(() => refusals.length > 0);
    await looked(() => writeFileSync(file, "{"));
    writeFileSync(file, '{"limitz": {}}');
    await until(() => refusals.length > 1);
    await looked(() => save("warn"));
    writeFileSync(file, '{"limitz": {}}');
    await until(() => refusals.length > 2);
    assert.match(refusals[0] ?? "", /^zaguan\.json: line 1, column 2: /);
    assert.equal(refusals[1], 'zaguan.json: unknown key "limitz" (did you mean "limits"?)');
    assert.equal(refusals[2], refusals[1]);
    assert.deepEqual(levels, []);
  });

  it("takes up the file although its folder came later, and tells when it is gone for good", async () => {
    file = join(folder, "later", "zaguan.json");
    watching = start();
    mkdirSync(join(folder, "later"));
    save("warn");
    await until(() => levels.length > 0);
    rmSync(file);
    await until(() => refusals.length > 0);
    assert.deepEqual(refusals, ["zaguan.json: is gone; the running configuration stays until it is back"]);
    assert.deepEqual(levels, ["warn"]);
  });

  it("survives a folder in the file's place and a listener that throws", async () => {
    watching = watchConfig(
      file,
      {},
      () => {
        throw new Error("cannot be taken up");
      },
      (reason) => refusals.push(reason),
    );
    mkdirSync(file);
    await until(() => refusals.length > 0);
    rmSync(file, { recursive: true });
    save("warn");
    await until(() => refusals.length > 1);
    assert.deepEqual(refusals, ["zaguan.json: is not a file", "cannot be taken up"]);
  });

  it("is silent once it is closed, and may be closed twice", async () => {
    watching = start();
    save("warn");
    watching.close();
    watching.close();
    await sleep(400);
    assert.deepEqual([levels, refusals], [[], []]);
  });
});

/** Resolves when the file has been read once more after a change, whatever came of that. */
async function looked(change: () => void): Promise<void> {
  let reads = 0;
  const read = fs.readFileSync;
  const reading = mock.method(fs, "readFileSync", (...args: Parameters<typeof read>) => {
    if (args[0] === file) reads++;
    return read(...args);
  });
  syncBuiltinESMExports();
  change();
  await until(() => reads > 0);
  reading.mock.restore();
  syncBuiltinESMExports();
}

function start(env: Record<string, string> = {}): { close(): void } {
  return watchConfig(
    file,
    env,
    (config) => levels.push(config.log.level),
    (reason) => refusals.push(reason),
  );
}

function save(level: string): void {
  writeFileSync(file, text(level));
}

function text(level: string): string {
  return JSON.stringify({ log: { level } });
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!condition()) {
    assert.ok(Date.now() < deadline, `waited in vain: ${JSON.stringify({ levels, refusals })}`);
    await sleep(20);
  }
}
