import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import {
  abilityContext,
  callTool,
  failureIn,
  standIn,
  writeFiles,
} from "../../../test/support/abilities/open-ability.ts";
import { isRunning, until } from "../../../test/support/processes.ts";
import type { OpenAbility } from "../ability.ts";
import { openSystem, type SystemSettings } from "./index.ts";
import { mayEnd, type RunningProgram } from "./processes.ts";

const root = mkdtempSync(join(tmpdir(), "apps-"));
const started: number[] = [];
const SCAN = "self.application.scan_installed";
const LAUNCH = "self.application.launch";
const KILL = "self.application.kill";
const RUNNING = "self.application.list_running";

interface Listed {
  readonly total_count: number;
  readonly applications: readonly { name: string; display_name?: string; pid?: number }[];
}

describe("applications", { skip: process.platform !== "linux" }, () => {
  after(() => {
    for (const pid of started) if (isRunning(pid)) process.kill(pid, "SIGKILL");
    rmSync(root, { recursive: true });
  });

  it("offers neither starting nor ending unless each is allowed", () => {
    const names = (settings: SystemSettings): string[] =>
      openSystem(settings, abilityContext({})).tools.map(({ name }) => name);
    const usual = [
      "self.get_device_status",
      "self.audio_speaker.get_volume",
      "self.audio_speaker.set_volume",
      SCAN,
      RUNNING,
    ];
    assert.deepEqual(names({}), usual);
    assert.deepEqual(names({ allowLaunch: true }), [...usual, LAUNCH]);
    assert.deepEqual(names({ allowKill: true }), [...usual, KILL]);
  });

  it("lists what is installed, the user's own entry before the system's, in the caller's language", async () => {
    const { ability } = desktop({
      "home/applications/editor.desktop": entry("My Editor", "/bin/true"),
      "share/applications/editor.desktop": entry("Editor", "/bin/false"),
      "share/applications/kde/player.desktop": `${entry("Player", "player")}Name[zh_CN]=播放器\n`,
      "share/applications/hidden.desktop": `${entry("Hidden", "x")}NoDisplay=true\n`,
      "share/applications/readme.txt": entry("Text", "x"),
    });
    const listed = (await callTool(ability, SCAN, {}, { language: "zh" })) as unknown as Listed;
    assert.deepEqual(listed, {
      total_count: 2,
      applications: [
        { name: "My Editor", display_name: "My Editor" },
        { name: "Player", display_name: "播放器" },
      ],
    });
  });

  it("keeps the list for a minute unless told to look again", async () => {
    const { ability, folder, clock } = desktop({ "share/applications/a.desktop": entry("A", "a") });
    const count = async (force_refresh: boolean): Promise<number> =>
      ((await callTool(ability, SCAN, { force_refresh })) as unknown as Listed).total_count;
    assert.equal(await count(false), 1);
    writeFiles(folder, { "share/applications/b.desktop": entry("B", "b") });
    assert.equal(await count(false), 1);
    assert.equal(await count(true), 2);
    writeFiles(folder, { "share/applications/c.desktop": entry("C", "c") });
    await clock.advance(60_001);
    assert.equal(await count(false), 3);
  });

  it("starts an installed application by any of its names, detached, with the desktop's variables", async () => {
    const folder = mkdtempSync(join(root, "launch-"));
    const told = join(folder, "told");
    const bin = standIn(
      folder,
      "zaguan-viewer",
      `{ echo $$; echo "$*"; env; } > ${told}.new; mv ${told}.new ${told}; sleep 60`,
    );
    const { ability, lines } = desktop(
      {
        "share/applications/org.zaguan.Viewer.desktop": `${entry("Viewer", "zaguan-viewer --title %c %U")}Name[es]=Visor\n`,
      },
      { allowLaunch: true },
      { PATH: `${bin}:/usr/bin:/bin`, DISPLAY: ":42", SECRET: "s" },
    );
    assert.equal(await callTool(ability, LAUNCH, { app_name: " visor " }, { language: "es" }), "Visor se ha iniciado");
    await until("it runs", () => existsSync(told));
    const [pid = "", args, ...env] = readFileSync(told, "utf8").split("\n");
    started.push(Number(pid));
    assert.equal(args, "--title Viewer");
    assert.ok(env.includes("DISPLAY=:42"));
    assert.ok(!env.some((line) => /^(?:SECRET|ZAGUAN_CHILD)=/.test(line)));
    assert.equal(readFileSync(`/proc/${Number(pid)}/stat`, "utf8").split(" ")[5], pid, "it leads a session of its own");
    assert.deepEqual(lines, ["started org.zaguan.Viewer"]);
    await ability.close();
    assert.ok(isRunning(Number(pid)), "it outlives the ability");
  });

  it("starts what the owner listed, and nothing that is merely a program or a command line", async () => {
    const folder = mkdtempSync(join(root, "list-"));
    const mark = join(folder, "mark");
    const { ability } = desktop(
      {},
      { allowLaunch: true, applications: { Backup: ["touch", mark], Other: ["sh", "-c", "x"] } },
    );
    for (const app_name of ["rm", "/usr/bin/touch", `touch ${mark}`, "sh", "sh -c id", "$(id)", ""]) {
      assert.match(await failureIn(ability, LAUNCH, { app_name }), /^There is no application/);
    }
    assert.equal(existsSync(mark), false);
    assert.equal(await callTool(ability, LAUNCH, { app_name: "backup" }), "Backup was started");
    await until("it ran", () => existsSync(mark));
  });

  it("asks back when a part of a name fits several, and takes it when it fits one", async () => {
    const { ability } = desktop(
      {
        "share/applications/a.desktop": entry("Music Player", "/bin/true"),
        "share/applications/b.desktop": entry("Video Player", "/bin/true"),
      },
      { allowLaunch: true },
    );
    const answer = await failureIn(ability, LAUNCH, { app_name: "player" });
    assert.equal(answer, "'player' could be any of these: Music Player, Video Player");
    assert.equal(await callTool(ability, LAUNCH, { app_name: "music" }), "Music Player was started");
  });

  it("says so if the program of an entry is not there", async () => {
    const { ability } = desktop(
      { "share/applications/a.desktop": entry("Ghost", "no-such-ghost") },
      { allowLaunch: true },
    );
    assert.equal(await failureIn(ability, LAUNCH, { app_name: "ghost" }), "no-such-ghost failed: it is not installed");
  });

  it("lists running programs of this user by whole names, without their arguments", async () => {
    const { ability } = desktop({});
    const name = `zaguan-app-${process.pid}-list`;
    const pid = run(name);
    await until("it is itself", () => existsSync(`/proc/${pid}/cmdline`) && nameOf(pid).includes(name));
    const listed = (await callTool(ability, RUNNING, { filter_name: name.toUpperCase() })) as unknown as Listed;
    assert.deepEqual(listed, { total_count: 1, applications: [{ pid, name }] });
  });

  it("ends a program by its whole name", async () => {
    const { ability } = desktop({}, { allowKill: true });
    const name = `zaguan-app-${process.pid}-end`;
    const pids = [run(name), run(name)];
    await until("they are themselves", () => pids.every((pid) => nameOf(pid).includes(name)));
    assert.match(await failureIn(ability, KILL, { app_name: name.slice(0, -1) }), /^No program named/);
    assert.equal(await callTool(ability, KILL, { app_name: name }), `${name} was closed (processes: 2)`);
    assert.deepEqual(pids.map(isRunning), [false, false]);
    assert.match(await failureIn(ability, KILL, { app_name: name }), /^No program named/);
  });

  it("says so when a program does not close, and ends it with force", async () => {
    const name = `zaguan-app-${process.pid}-deaf`;
    const shell = join(root, name);
    copyFileSync("/bin/sh", shell);
    const ready = join(root, "ready");
    const child = spawn(shell, ["-c", `trap '' TERM; : > ${ready}; while :; do sleep 1; done`], {
      stdio: "ignore",
      env: { PATH: "/usr/bin:/bin" },
    });
    started.push(child.pid as number);
    await until("it is deaf", () => existsSync(ready));
    const { ability } = desktop({}, { allowKill: true });
    assert.match(await failureIn(ability, KILL, { app_name: name }), /1 of its processes still run; force=true/);
    assert.equal(await callTool(ability, KILL, { app_name: name, force: true }), `${name} was closed (processes: 1)`);
  });
});

describe("what may be ended", () => {
  const all: readonly RunningProgram[] = [
    program(1, 0, "node"),
    program(10, 1, "node"),
    program(20, 10, "sh"),
    program(30, 20, "node"),
    program(31, 30, "node", { isSupervised: true }),
    program(32, 30, "node"),
    program(40, 1, "Node"),
    program(41, 1, "node", { uid: 0 }),
    program(42, 1, "nodes"),
    program(43, 30, "sh"),
  ];
  const self = { pid: 30, uid: 1000, others: [43] };

  it("is never we, our ancestors, the first process, another user's, or a child that we look after", () => {
    assert.deepEqual(
      mayEnd(all, new Set(["node"]), self).map(({ pid }) => pid),
      [32, 40],
    );
    assert.deepEqual(mayEnd(all, new Set(["sh"]), self), []);
  });

  it("is nothing where processes name each other as parents", () => {
    const loop = [program(30, 31, "a"), program(31, 30, "a")];
    assert.deepEqual(mayEnd(loop, new Set(["a"]), self), []);
  });
});

function program(pid: number, parent: number, name: string, more: Partial<RunningProgram> = {}): RunningProgram {
  return { pid, parent, uid: 1000, name, startTime: "1", isSupervised: false, ...more };
}

interface Desktop {
  readonly ability: OpenAbility;
  readonly folder: string;
  readonly clock: { advance(ms: number): Promise<void> };
  readonly lines: readonly string[];
}

function desktop(
  files: Readonly<Record<string, string>>,
  settings: SystemSettings = {},
  env: Readonly<Record<string, string>> = {},
): Desktop {
  const folder = mkdtempSync(join(root, "d-"));
  writeFiles(folder, files);
  const folders = { XDG_DATA_HOME: join(folder, "home"), XDG_DATA_DIRS: join(folder, "share") };
  const context = abilityContext({ PATH: process.env["PATH"], ...folders, ...env });
  return { ability: openSystem(settings, context), folder, clock: context.clock, lines: context.lines };
}

function entry(name: string, exec: string): string {
  return `[Desktop Entry]\nType=Application\nName=${name}\nExec=${exec}\n`;
}

/** A real process with a name that nobody else's has. */
function run(name: string): number {
  const file = join(root, name);
  if (!existsSync(file)) copyFileSync("/bin/sleep", file);
  const { pid } = spawn(file, ["60"], { stdio: "ignore", env: {} });
  started.push(pid as number);
  return pid as number;
}

function nameOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8");
}
