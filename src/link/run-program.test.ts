import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, it, mock } from "node:test";
import { isRunning, openFiles, until } from "../../test/support/processes.ts";
import { LightAbort } from "../light-abort.ts";
import {
  launchProgram,
  ProgramError,
  type ProgramFault,
  type Ran,
  type RunOptions,
  runProgram,
} from "./run-program.ts";

const folder = mkdtempSync(join(tmpdir(), "run-"));
const posix = { skip: process.platform === "win32" };
const linuxOnly = { skip: process.platform !== "linux" };

describe("running a program", posix, () => {
  after(() => rmSync(folder, { recursive: true }));

  it("gives what it wrote, byte for byte, and its exit code", async () => {
    const ran = await sh("printf '\\000\\377é'; echo oops >&2; exit 3");
    assert.deepEqual([...ran.stdout], [0, 255, 0xc3, 0xa9]);
    assert.deepEqual([ran.code, ran.stderr], [3, "oops"]);
  });

  it("hands arguments over as they are: there is no shell between", async () => {
    const { stdout } = await run("printf", ["%s|", "$(echo no)", "; true", "*", ""]);
    assert.equal(stdout.toString(), "$(echo no)|; true|*||");
  });

  it("feeds its input, text or bytes, and does not mind one who reads nothing of it", async () => {
    assert.equal((await run("cat", [], { input: "客厅" })).stdout.toString(), "客厅");
    assert.deepEqual([...(await run("cat", [], { input: new Uint8Array([0, 1]) })).stdout], [0, 1]);
    assert.equal((await run("true", [], { input: "x".repeat(1_000_000) })).code, 0);
    assert.equal((await run("cat", [])).stdout.length, 0);
  });

  it("hands down a short list of our variables, its own, and no secret", async () => {
    process.env["ZAGUAN_TEST_SECRET"] = "secret";
    const seen = (await run("env", [], { env: { OWN: "1" } })).stdout.toString();
    delete process.env["ZAGUAN_TEST_SECRET"];
    assert.match(seen, /^OWN=1$/m);
    assert.match(seen, /^ZAGUAN_CHILD=[0-9a-f]{16}\.\d+$/m);
    assert.doesNotMatch(seen, /SECRET/);
  });

  it("looks for the program in the PATH it is given", async () => {
    writeProgram("only-here", "#!/bin/sh\necho found\n");
    assert.equal((await run("only-here", [], { env: { PATH: folder } })).stdout.toString(), "found\n");
    await refuses("missing", run("only-here", []));
  });

  it("tells a program that is not there from one that cannot be run", async () => {
    const error = await refuses("missing", run("/no/such/zaguan-program", []));
    assert.equal(error.program, "zaguan-program");
    assert.doesNotMatch(error.message, /\//);
    writeFileSync(join(folder, "plain"), "text");
    await refuses("not_executable", run(join(folder, "plain"), []));
    await refuses("not_started", run("echo", ["a\0b"]));
  });

  it("ends one that takes too long", async () => {
    await refuses("timed_out", run("sleep", ["60"], { timeoutMs: 50 }));
  });

  it("ends it with its whole group, even if they ignore SIGTERM", linuxOnly, async () => {
    const file = join(folder, "pids");
    const stop = new LightAbort();
    const script = `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $$ $! > ${file}; wait`;
    const running = sh(script, { signal: stop });
    await until("both run", () => pidsIn(file).length === 2);
    stop.abort("enough");
    await refuses("cancelled", running);
    assert.deepEqual(pidsIn(file).map(isRunning), [false, false]);
  });

  it("dies with us, however we die, though it threw its marker away", linuxOnly, async () => {
    const file = join(folder, "orphan");
    const module = new URL("./run-program.ts", import.meta.url).href;
    const script = `const { runProgram } = await import(${JSON.stringify(module)});
      void runProgram("sh", ["-c", "echo $$ > ${file}; exec env -i sleep 60"], { timeoutMs: 60000, maxBytes: 1 });
      console.log("started");`;
    const hub = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "ignore"] });
    await once(hub.stdout, "data");
    await until("the program runs", () => pidsIn(file).length === 1);
    hub.kill("SIGKILL");
    await until("it is gone", () => !pidsIn(file).some(isRunning));
  });

  it("finds those, too, that left the group of one that was ended", linuxOnly, async () => {
    const file = join(folder, "left");
    const stop = new LightAbort();
    const running = sh(`setsid sh -c 'echo $$ > ${file}; exec sleep 60' & wait`, { signal: stop });
    await until("it has left", () => pidsIn(file).length === 1);
    stop.abort("enough");
    await refuses("cancelled", running);
    assert.deepEqual(pidsIn(file).map(isRunning), [false]);
  });

  it("ends what a program left running in its group when it exits", linuxOnly, async () => {
    const { stdout, code } = await sh("sleep 60 & echo $!");
    assert.equal(code, 0);
    assert.equal(isRunning(Number(stdout.toString())), false);
  });

  it("waits until all of a group that it ended are gone, and not a moment longer", linuxOnly, async () => {
    const many = "for n in $(seq 60); do sleep 60 >/dev/null 2>&1 & printf '%s ' $!; done";
    // Waiting by the clock instead of for them would take for ever.
    const clock = mock.method(performance, "now", () => 0);
    try {
      for (let round = 0; round < 3; round++) {
        const pids = (await sh(many)).stdout.toString().trim().split(" ").map(Number);
        assert.equal(pids.length, 60);
        assert.deepEqual(pids.filter(isRunning), []);
      }
    } finally {
      clock.mock.restore();
    }
  });

  it("ends one that writes more than it may, and keeps the tail of its complaints only", async () => {
    await refuses("too_much", sh("yes", { maxBytes: 10_000 }));
    assert.equal((await sh("printf '%010000d' 7", { maxBytes: 10_000 })).stdout.length, 10_000);
    const { stderr } = await sh("head -c 100000 /dev/zero | tr '\\0' a >&2; echo last >&2");
    assert.equal(stderr.length, 8191);
    assert.match(stderr, /alast$/);
  });

  it("says so when somebody else killed it", async () => {
    const error = await refuses("killed", sh("echo dying >&2; kill -9 $$"));
    assert.deepEqual([error.cause, error.stderr], ["SIGKILL", "dying"]);
  });

  it("starts nothing for a caller who has left already, and lets go of a signal afterwards", async () => {
    const file = join(folder, "never");
    const controller = new AbortController();
    await run("true", [], { signal: controller.signal });
    assert.equal(getEventListeners(controller.signal, "abort").length, 0);
    controller.abort();
    await refuses("cancelled", run("touch", [file], { signal: controller.signal }));
    assert.throws(() => readFileSync(file), { code: "ENOENT" });
  });

  it("leaves no file open", linuxOnly, async () => {
    await sh("true");
    const before = openFiles();
    await Promise.all(Array.from({ length: 8 }, () => sh("echo x; echo y >&2", { input: "z" })));
    await until("open files are as before", () => openFiles() <= before);
  });
});

function run(command: string, args: readonly string[], options: Partial<RunOptions> = {}): Promise<Ran> {
  return runProgram(command, args, { timeoutMs: 20_000, maxBytes: 1_000_000, ...options });
}

function sh(script: string, options: Partial<RunOptions> = {}): Promise<Ran> {
  return run("sh", ["-c", script], options);
}

async function refuses(fault: ProgramFault, running: Promise<Ran>): Promise<ProgramError> {
  const error = await running.then(
    () => assert.fail(`expected ${fault}`),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof ProgramError, String(error));
  assert.equal(error.fault, fault);
  return error;
}

function writeProgram(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

function pidsIn(file: string): number[] {
  try {
    return readFileSync(file, "utf8").trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

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
    const module = new URL("./run-program.ts", import.meta.url).href;
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
