/** Apart from the other tests of the undertaker, since what a process keeps of it is kept for all. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, describe, it } from "node:test";
import { isRunning, until } from "../../test/support/processes.ts";
import { childEnvironment } from "./child-environment.ts";
import { keepDeadlines, newMarker, releaseGroup, setDeadline, undertakerPid, watchGroup } from "./undertaker.ts";

describe("a source that is held for a limited time", { skip: process.platform !== "linux" }, () => {
  const pids: number[] = [];
  after(() => {
    for (const pid of pids) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });

  /** A program with a child that leaves its group. */
  function start(source: string): number {
    const marker = newMarker();
    const env = childEnvironment({ PATH: process.env["PATH"] ?? "" }, marker);
    const child = spawn("sh", ["-c", "setsid sleep 97 & sleep 97"], { detached: true, stdio: "ignore", env });
    const pid = child.pid as number;
    pids.push(pid);
    watchGroup(pid, { source, marker });
    return pid;
  }

  it("loses its programs, and what they started, when its time is over, though nobody here does anything", async () => {
    keepDeadlines();
    const [short, long, free] = ["short", "long", "free"].map(start) as [number, number, number];
    setDeadline("short", performance.now() + 600);
    setDeadline("long", performance.now() + 600_000);
    await until("its file names both", () => folders().length > 0);
    assert.ok([short, long, free].every(isRunning));
    await until("it is dead", () => !isRunning(short));
    assert.ok([long, free].every(isRunning), "the others live on");
    assert.notEqual(undertakerPid(), undefined);
    for (const pid of [short, long, free]) releaseGroup(pid);
  });

  it("does not take those with it whose number begins as its own", async () => {
    const many = Array.from({ length: 40 }, (_, number) => start(`many-${number}`));
    setDeadline("many-0", performance.now());
    await until("it is dead", () => !isRunning(many[0] as number));
    // The search for what it started comes after it, and takes with it whom it finds in one go.
    setDeadline("many-1", performance.now());
    await until("so is the next", () => !isRunning(many[1] as number));
    assert.ok(many.slice(2).every(isRunning));
    for (const pid of many) releaseGroup(pid);
  });

  function folders(): string[] {
    return readdirSync(tmpdir()).filter((name) => name.startsWith("zaguan-deadlines-"));
  }
});
