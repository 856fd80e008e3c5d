/** The commands of `docs/devices.md` run as their reader runs them, beside the voice box that the document brings along. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertPrinted, blockIn, commandsIn, jsonIn } from "../support/document-commands.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runProgram } from "../support/run-program.ts";
import { untilListed } from "../support/seed-002.ts";
import { type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";

const GUIDE = fileURLToPath(new URL("../../docs/devices.md", import.meta.url));
const TOOLS = ["self.audio_speaker.set_volume", "tea_minutes", "timer.start_countdown", "self.calendar.create_event"];

describe("docs/devices.md", { skip: process.platform === "win32" && "no sh" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-guide-"));
  let hub: SpawnedZaguan;
  let box: ChildProcess;

  before(async () => {
    mkdirSync(join(folder, "tools"));
    writeFileSync(join(folder, "tools", "tea.ts"), blockIn(GUIDE, "ts", "addTool"));
    writeFileSync(join(folder, "box.mjs"), blockIn(GUIDE, "js", "WebSocket"));
    hub = await spawnZaguan({ folder, config: jsonIn(GUIDE, '"timeZone"') });
    const address = `${hub.url.replace("http", "ws")}/xiaozhi/v1/`;
    box = spawn(process.execPath, [join(folder, "box.mjs"), address], { stdio: ["ignore", "ignore", "inherit"] });
    await untilListed(new RegistryClient(hub.url), ...TOOLS);
  });
  after(async () => {
    box?.kill();
    await hub?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const { name, script, printed } of commandsIn(GUIDE)) {
    it(name, async () => {
      const { command, args } = zaguanCommand();
      const words = `exec 2>&1\nzaguan() { '${command}' '${args.join("' '")}' "$@"; }\n${script}`;
      const { code, stdout } = await runProgram("sh", ["-eu", "-c", words], {
        cwd: folder,
        env: { ZAGUAN_URL: hub.url },
      });
      assert.equal(code, 0, stdout);
      if (printed !== undefined) assertPrinted(stdout, printed);
    });
  }
});
