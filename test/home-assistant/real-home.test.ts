/** The real house itself: it never listens to the outside, never outlives a test, and never passes for one if it is not. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { installed } from "../../scripts/home-assistant.ts";
import { until } from "../support/processes.ts";
import { writeConfiguration } from "../support/real-home/configuration.ts";
import { HomeAssistantProcess } from "../support/real-home/process.ts";
import { freePort, startRealHome } from "../support/real-home.ts";
import { describeWithRealHome } from "./support/real-home-only.ts";

const SUPPORT = fileURLToPath(new URL("../support/real-home.ts", import.meta.url));
const BROKEN_YAML = "broken: [\n";
const LIMIT_MS = 120_000;

describeWithRealHome("a real house for tests", () => {
  test("leaves no process and no folder behind", async () => {
    const home = await startRealHome();
    assert.notDeepEqual(processesWith(home.configDir), []);
    await home.stop();
    assert.deepEqual(processesWith(home.configDir), []);
    assert.equal(existsSync(home.configDir), false);
  });

  test("is refused in recovery mode", async () => {
    await assert.rejects(startRealHome({ moreYaml: BROKEN_YAML }), /did not start: .*recovery mode/);
  });

  test("stays on loopback even in recovery mode", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-recovery-"));
    const port = await freePort();
    writeConfiguration(folder, port, BROKEN_YAML);
    const { python } = installed() as { python: string };
    const running = new HomeAssistantProcess(python, folder);
    try {
      await until("it listens where it would without recovery mode", () => listensAt(port).length > 0, LIMIT_MS);
      assert.match(running.output(), /recovery mode/);
      assert.deepEqual(listensAt(port), ["0100007F"]);
    } finally {
      await running.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("dies with the process that started it", async () => {
    const script = `const { startRealHome } = await import(${JSON.stringify(SUPPORT)});
      console.log((await startRealHome()).configDir);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let folder = "";
    try {
      folder = String((await once(child.stdout, "data"))[0]).trim();
      assert.notDeepEqual(processesWith(folder), []);
      child.kill("SIGKILL");
      await until("nothing is left of the house", () => processesWith(folder).length === 0);
    } finally {
      child.kill("SIGKILL");
      if (folder) rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** The ids of all processes that were started with this folder. */
function processesWith(folder: string): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/cmdline`).includes(folder));
}

/** The addresses, as the kernel writes them, on which somebody listens at this port. */
function listensAt(port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const lines = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => read(file).split("\n").slice(1));
  const sockets = lines.map((line) => line.trim().split(/\s+/));
  const listening = sockets.filter(([, local, , state]) => state === "0A" && local?.endsWith(`:${hex}`));
  return listening.map(([, local = ""]) => local.split(":")[0] ?? "");
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
