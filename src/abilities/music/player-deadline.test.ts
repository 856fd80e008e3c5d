/** Where sources are held for a limited time. A file of its own, since what a process keeps of it is kept for all. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { isRunning, until } from "../../../test/support/processes.ts";
import { keepDeadlines, setDeadline, undertakerPid } from "../../link/undertaker.ts";
import { SOURCE, unknownPlayer } from "./player.ts";

describe("a player", { skip: process.platform !== "linux" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-player-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("ends with the time for which music is held here, though nobody here does anything", async () => {
    keepDeadlines();
    const [command, pidFile] = [join(folder, "player"), join(folder, "pid")];
    writeFileSync(
      command,
      `#!/bin/sh\necho $$ >"${pidFile}.next" && mv "${pidFile}.next" "${pidFile}"\nexec sleep 97\n`,
    );
    chmodSync(command, 0o755);
    const env = { PATH: process.env["PATH"] ?? "" };
    const player = await unknownPlayer("player").open({ command, args: [], env, onProblem: () => {} });
    await player.play("song.mp3");
    let pid = 0;
    await until("it plays", () => {
      pid = pidIn(pidFile);
      return pid > 0;
    });
    assert.notEqual(undertakerPid(), undefined);
    setDeadline(SOURCE, performance.now());
    await until("it is dead", () => !isRunning(pid));
    await player.close();
  });
});

function pidIn(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}
