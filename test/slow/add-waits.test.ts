/** `zaguan add` beside a running hub, with a program that takes its time to install: it waits, and says how that ended. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { main as runInProcess } from "../../src/cli/main.ts";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runZaguan, type Said } from "../support/run-zaguan.ts";
import { SlowInstaller } from "../support/slow-installer.ts";
import { cleanEnvironment, type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";

let hub: SpawnedZaguan;
let installer: SlowInstaller;
const run = (...words: string[]): Promise<Said> => runZaguan(words, hub.folder);

before(async () => {
  installer = new SlowInstaller();
  hub = await spawnZaguan({ env: { PATH: installer.path } });
});
after(async () => {
  await hub.stop();
  installer.close();
});

/** What the hub says of it, again and again, until that fits. */
async function seen(name: string, fits: (server: Record<string, unknown>) => boolean): Promise<void> {
  const client = new RegistryClient(hub.url);
  const limit = performance.now() + 60_000;
  for (;;) {
    const { status, body } = await client.get(`/mcp/servers/${name}`);
    if (status === 200 && fits(body)) return;
    assert.ok(performance.now() < limit, `in vain: ${JSON.stringify(body)}`);
    await sleep(50);
  }
}

describe("zaguan add", () => {
  test("waits for an installation, which servers shows too, and tells how many tools came of it", async () => {
    const heavy = installer.package("heavy");
    const adding = run("add", "heavy", "--", "npx", "-y", "heavy");
    heavy.log("added 12 of 345 packages");
    await seen("heavy", ({ state, progress }) => state === "installing" && progress === "added 12 of 345 packages");
    const { stdout } = await run("servers");
    assert.match(stdout, /LAST ERROR OR LOG LINE\n/);
    assert.match(stdout, /heavy +configured +active +stdio +installing +0 +0 +added 12 of 345 packages\n/);
    assert.equal((await run("doctor")).code, 0, "one that installs is no fault");
    heavy.becomeReady();
    const { code, stdout: said, stderr } = await adding;
    assert.match(said, /^Added heavy to zaguan\.json\..*\nheavy is ready\. Tools: 1\n$/);
    assert.deepEqual([code, stderr], [0, ""]);
  });

  test("waits for the new one where it replaces one that is ready", async () => {
    const heavier = installer.package("heavier");
    const adding = run("add", "heavy", "--replace", "--", "npx", "-y", "heavier");
    await seen("heavy", ({ state }) => state !== "ready");
    heavier.becomeReady();
    const { code, stdout } = await adding;
    assert.match(stdout, /\nheavy is ready\. Tools: 1\n$/);
    assert.equal(code, 0);
  });

  test("says at once of one that is as it was before that it is ready", async () => {
    const { code, stdout } = await run("add", "heavy", "--replace", "--", "npx", "-y", "heavier");
    assert.match(stdout, /\nheavy is ready\. Tools: 1\n$/);
    assert.equal(code, 0);
    assert.equal((await run("remove", "heavy")).code, 0);
  });

  test("fails with the reason and the end of the log, and leaves the entry", async () => {
    const hevy = installer.package("hevy");
    hevy.log("npm error 404 'hevy@*' is not in this registry");
    hevy.fail();
    const { code, stderr } = await run("add", "hevy", "--", "npx", "-y", "hevy");
    assert.match(stderr, /^ {2}npm error 404 'hevy@\*' is not in this registry\nhevy did not start: .*code 7/);
    assert.match(stderr, /The entry stays in zaguan\.json.*'zaguan remove hevy'/);
    assert.equal(code, 1);
    assert.ok(readFileSync(hub.configFile, "utf8").includes('"hevy"'));
    assert.equal((await run("remove", "hevy")).code, 0);
  });

  test("tells why the hub refuses the file", async () => {
    const { code, stderr } = await run(
      "add",
      "far",
      "https://mcp.example.com/mcp",
      "--header",
      "X-A: $" + "{NOBODY_SET_THIS}",
    );
    assert.match(stderr, /^zaguan: far was written to the file, but.*the hub refused the file:.*NOBODY_SET_THIS/);
    assert.equal(code, 1);
    assert.equal((await run("remove", "far")).code, 0);
  });

  test("stops waiting by Ctrl+C, and the installation goes on", async () => {
    const long = installer.package("long");
    const { command, args } = zaguanCommand("add", "long", "--", "npx", "-y", "long");
    const child = spawn(command, args, {
      cwd: hub.folder,
      env: cleanEnvironment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await seen("long", ({ state }) => state === "installing");
    child.kill("SIGINT");
    await once(child, "close");
    assert.match(stderr, /^No longer waiting\. The hub goes on starting long/);
    assert.equal(child.exitCode, 130);
    long.becomeReady();
    await seen("long", ({ state, tools }) => state === "ready" && tools === 1);
    assert.equal((await run("remove", "long")).code, 0);
  });

  test("shows on a terminal how long it waits for what", async () => {
    let shown = "";
    const write = (text: string): void => {
      shown += text;
    };
    const terminal = { isTTY: true, columns: 60, write };
    const world = { env: {}, stdout: { write: () => {} }, stderr: terminal };
    const words = ["add", "seen", "--data", `${hub.folder}/data`, "--", "npx", "-y", "seen"];
    const installation = installer.package("seen");
    const adding = runInProcess(words, world);
    installation.log(`added 345 packages ${"and so on ".repeat(20)}`);
    await until("the last line of its log", () => /seen: installing · added 345 packages.*… \d+ s/.test(shown));
    installation.becomeReady();
    assert.equal(await adding, 0);
    assert.ok(shown.endsWith("\r\u001b[K"), "nothing of it is left");
    assert.equal((await run("remove", "seen")).code, 0);
  });

  test("does not wait with --no-wait", async () => {
    const { code, stdout } = await run("add", "later", "--no-wait", "--", "npx", "-y", "later");
    assert.deepEqual(
      [code, stdout],
      [0, "Added later to zaguan.json. The running hub applies the change automatically.\n"],
    );
  });
});
