import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, describe, it } from "node:test";
import { isRunning, until } from "../../test/support/processes.ts";

interface Hub {
  readonly pid: number;
  /** Of three children, and of two descendants of each. */
  readonly pids: readonly number[];
  readonly undertaker: number;
}

describe("the undertaker", { skip: process.platform !== "linux", concurrency: 2 }, () => {
  const started: Hub[] = [];
  after(() => {
    for (const hub of started)
      for (const pid of [...hub.pids, hub.pid]) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });

  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    it(`ends every child, grandchild and daemon when the hub dies of ${signal}, and then leaves`, async () => {
      const hub = await startHub();
      process.kill(hub.pid, signal);
      await until("all are gone", () => !hub.pids.some(isRunning));
      await until("the undertaker is gone", () => !isRunning(hub.undertaker));
    });
  }

  it("does not go first when a terminal or a stopping machine sends signals around", async () => {
    const hub = await startHub();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) process.kill(hub.undertaker, signal);
    process.kill(hub.pid, "SIGKILL");
    await until("all are gone", () => !hub.pids.some(isRunning));
  });

  it("does its work too if it has been killed itself, and replaced, before", async () => {
    const hub = await startHub("replaced");
    process.kill(hub.pid, "SIGKILL");
    await until("all are gone", () => !hub.pids.some(isRunning));
  });

  it("leaves the children of another hub alone", async () => {
    const [one, other] = await Promise.all([startHub(), startHub()]);
    process.kill(one.pid, "SIGKILL");
    await until("its undertaker has done its work", () => !isRunning(one.undertaker));
    assert.ok(other.pids.every(isRunning));
    process.kill(other.pid, "SIGKILL");
    await until("all are gone", () => !other.pids.some(isRunning));
  });

  async function startHub(...args: string[]): Promise<Hub> {
    const path = new URL("../../test/support/children/hub.mjs", import.meta.url).pathname;
    const hub = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(hub.stdout, "data")) as [Buffer];
    const told: Hub = { pid: hub.pid as number, ...JSON.parse(line.toString()) };
    started.push(told);
    assert.equal(told.pids.length, 9);
    assert.ok([...told.pids, told.undertaker].every(isRunning));
    return told;
  }
});
