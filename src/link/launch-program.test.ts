import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, it } from "node:test";
import { isRunning } from "../../test/support/processes.ts";
import { launchProgram } from "./launch-program.ts";
import { ProgramError } from "./run-program.ts";

describe("launching a program", { skip: process.platform !== "linux" }, () => {
  const started: number[] = [];
  const folder = mkdtempSync(join(tmpdir(), "launch-"));
  const plain = join(folder, "plain");
  writeFileSync(plain, "text");
  after(() => {
    rmSync(folder, { recursive: true });
    for (const pid of started) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });

  it("keeps nobody waiting for it, and leaves it running when we are gone", async () => {
    const module = new URL("./launch-program.ts", import.meta.url).href;
    const script = `const { launchProgram } = await import(${JSON.stringify(module)});
      console.log(await launchProgram("sleep", ["60"]));`;
    const hub = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said, [code]] = await Promise.all([text(hub.stdout), once(hub, "exit")]);
    started.push(Number(said));
    assert.equal(code, 0);
    assert.ok(isRunning(Number(said)));
  });

  const impossible: readonly (readonly [string, readonly string[], string])[] = [
    ["/no/such/zaguan-program", [], "missing"],
    [plain, [], "not_executable"],
    ["sleep", ["\0"], "not_started"],
  ];
  for (const [command, args, fault] of impossible) {
    it(`tells that it is ${fault}`, async () => {
      const error = await launchProgram(command, args).catch((cause: unknown) => cause);
      assert.ok(error instanceof ProgramError);
      assert.equal(error.fault, fault);
    });
  }
});
