/**
 * The hub ends with the npm that started it, whichever process of the chain is ended (npm, its shell, the hub), and stays
 * when a shell that put it into the background has ended. Real processes throughout.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isRunning, until } from "../support/processes.ts";
import { cleanEnvironment, descendantsOf } from "../support/spawn-zaguan.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const LAUNCHER = join(CHECKOUT, "scripts", "zaguan.mjs");
const SLOW_MS = 60_000;
/** Longer than a hub takes to notice that its launcher is gone. */
const NOTICED_MS = 3_000;
/** As in a user's shell, which knows nothing of the npm that runs this test. */
const ENV = Object.fromEntries(Object.entries(cleanEnvironment()).filter(([name]) => !name.startsWith("npm_")));
const NO_PYTHON = spawnSync("python3", ["--version"]).status === 0 ? false : "there is no python3 to open a terminal";
/** Runs its arguments in a terminal of their own, which is closed when this program is killed. */
const TERMINAL = "import pty, sys; pty.spawn(sys.argv[1:])";

const folder = mkdtempSync(join(tmpdir(), "zaguan-launchers-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A command that leads to a hub, in a folder of its own. */
class Started {
  readonly child: ChildProcess;
  readonly #home: string;

  constructor(command: (serve: readonly string[]) => readonly string[], cwd = CHECKOUT) {
    this.#home = mkdtempSync(join(folder, "home-"));
    const files = ["--data", join(this.#home, "data"), "--config", join(this.#home, "none.json")];
    const [program = "", ...args] = command(["serve", "--port", "0", ...files]);
    const log = openSync(join(this.#home, "log"), "w");
    this.child = spawn(program, args, { cwd, env: ENV, stdio: ["ignore", log, log] });
    process.once("exit", () => this.end());
  }

  said(): string {
    return readFileSync(join(this.#home, "log"), "utf8");
  }

  async hub(): Promise<{ readonly pid: number; readonly url: string }> {
    await until("the hub has told its address", () => this.place() !== undefined, SLOW_MS);
    return this.place() ?? assert.fail();
  }

  /** By force, whatever is left. */
  end(): void {
    for (const pid of [this.place()?.pid, this.child.pid]) if (pid && isRunning(pid)) process.kill(pid, "SIGKILL");
  }

  /** As the running hub has written it down; it takes that back when it ends in good order. */
  place(): { readonly pid: number; readonly url: string } | undefined {
    try {
      return JSON.parse(readFileSync(join(this.#home, "data", "hub.json"), "utf8"));
    } catch {
      return undefined;
    }
  }
}

function answers(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

const npmStart = (): Started => new Started(([, ...options]) => ["npm", "start", "--", ...options]);

/** As the published command runs under npx or in the script of somebody's package: below a shell that stays. */
function npmRun(): Started {
  const cwd = mkdtempSync(join(folder, "package-"));
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ scripts: { hub: `node '${LAUNCHER}'` } }));
  return new Started((serve) => ["npm", "run", "hub", "--", ...serve], cwd);
}

/** The chain from npm down to the hub is broken at one place. */
async function assertEnds(started: Started, signal: NodeJS.Signals, target: "npm" | "shell" | "hub"): Promise<void> {
  try {
    const { pid, url } = await started.hub();
    const npm = started.child.pid ?? 0;
    const [below = pid] = descendantsOf(npm);
    process.kill({ npm, shell: below, hub: pid }[target], signal);
    await until("the hub has ended", () => !isRunning(pid), SLOW_MS);
    assert.equal(await answers(url), false);
    assert.equal(started.place(), undefined, started.said());
  } finally {
    started.end();
  }
}

describe("a hub that npm start has started", { concurrency: 2 }, () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    it(`ends in good order when it gets ${signal}`, () => assertEnds(npmStart(), signal, "hub"));
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const) {
    it(`ends in good order when npm gets ${signal}`, () => assertEnds(npmStart(), signal, "npm"));
  }
  // A shell keeps SIGINT for itself until its command has ended; a terminal sends it to all of them.
  for (const signal of ["SIGTERM", "SIGHUP", "SIGKILL"] as const) {
    for (const target of ["npm", "shell"] as const) {
      it(`ends below a shell, too, when the ${target} gets ${signal}`, () => assertEnds(npmRun(), signal, target));
    }
  }

  it("ends when its terminal is closed", { skip: NO_PYTHON }, async () => {
    const started = new Started(([, ...options]) => ["python3", "-c", TERMINAL, "npm", "start", "--", ...options]);
    try {
      const { pid, url } = await started.hub();
      started.child.kill("SIGKILL");
      await until("the hub has ended", () => !isRunning(pid), SLOW_MS);
      assert.equal(await answers(url), false);
      assert.equal(started.place(), undefined);
    } finally {
      started.end();
    }
  });
});

describe("a hub in the background stays when the shell has ended", { concurrency: 2 }, () => {
  const quote = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");
  const shell = (line: string): readonly string[] => ["sh", "-c", line];
  const scripted = mkdtempSync(join(folder, "package-"));
  const script = (line: string): readonly string[] => {
    writeFileSync(join(scripted, "package.json"), JSON.stringify({ scripts: { hub: line } }));
    return ["npm", "run", "hub"];
  };
  const ways: Readonly<Record<string, [(serve: readonly string[]) => readonly string[], string?]>> = {
    "that started it with &": [(serve) => shell(`node ${quote([LAUNCHER, ...serve])} & sleep 2`)],
    "that started it with nohup": [(serve) => shell(`nohup node ${quote([LAUNCHER, ...serve])} & sleep 2`)],
    "that started npm with nohup": [([, ...options]) => shell(`nohup npm start -- ${quote(options)} & sleep 2`)],
    "of an npm script with &": [(serve) => script(`node ${quote([LAUNCHER, ...serve])} &`), scripted],
  };
  for (const [way, [command, cwd]] of Object.entries(ways)) {
    it(way, async () => {
      const started = new Started(command, cwd);
      try {
        const { pid, url } = await started.hub();
        await until("the shell has ended", () => started.child.exitCode !== null, SLOW_MS);
        await sleep(NOTICED_MS);
        assert.ok(isRunning(pid) && (await answers(url)), started.said());
        process.kill(pid, "SIGTERM");
        await until("it ends when it is asked to", () => !isRunning(pid), SLOW_MS);
      } finally {
        started.end();
      }
    });
  }
});
