/**
 * The real hub as a child process, for tests from outside: started on a free port in a folder of its own, stopped as an
 * operator stops it, with the proof that it ended well and left no process behind. It knows nothing of the hub's code.
 */
import assert from "node:assert/strict";
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endingWithUs, isRunning, until } from "./processes.ts";

const MAIN = fileURLToPath(new URL("../../scripts/zaguan.mjs", import.meta.url));
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;
/** Times that no working machine needs, however busy. */
const START_LIMIT_MS = 90_000;
const STOP_LIMIT_MS = 90_000;

/** Limits under which a first list is whole, however slowly servers come up; a test of something else sets its own. */
const PATIENT = { listWaitSeconds: 60 };

export interface SpawnOptions {
  /** What the configuration file holds; without it there is no file. */
  readonly config?: object | undefined;
  /** Behind `serve --port 0 --data … --config …`. */
  readonly args?: readonly string[] | undefined;
  /** Beside our own environment without any ZAGUAN_… */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Made if missing, and kept after the stop; without it a temporary one that is deleted. */
  readonly folder?: string | undefined;
  /** Descriptors of ours that the hub starts with, by their number there. */
  readonly descriptors?: Readonly<Record<number, number>> | undefined;
  /** Ctrl+C at the terminal does not reach it; it ends in order when this process is gone. @default false */
  readonly isOwnGroup?: boolean | undefined;
}

export interface SpawnedZaguan {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly pid: number;
  readonly folder: string;
  readonly configFile: string;
  stdout(): string;
  stderr(): string;
  /** Replaces the configuration file in one step, as a good editor does. */
  writeConfig(config: object): void;
  /** Every process below the hub at this moment, its own helpers included. */
  descendants(): number[];
  /** SIGTERM; fails unless the hub ends with code 0 and every process below it is gone. Once is enough. */
  stop(): Promise<void>;
  /** SIGKILL, for tests of what is left then; waits for the end of the hub itself only. */
  kill(): Promise<void>;
}

/** The words that start a subcommand of the working copy: the Node of this test, then its arguments. */
export function zaguanCommand(...args: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [MAIN, ...args] };
}

/** Our environment without settings for Zaguan that the machine may have. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] => !/^(?:ZAGUAN_|NODE_TEST_CONTEXT$)/.test(entry[0]) && entry[1] !== undefined,
  );
  return { ...Object.fromEntries(kept), ...more };
}

/** Resolves when the hub has printed its address. With `TEST_CLUSTER` in the environment it is several nodes behind a balancer. */
export async function spawnZaguan(options: SpawnOptions = {}): Promise<SpawnedZaguan> {
  const cluster = process.env["TEST_CLUSTER"];
  if (cluster === undefined || options.args?.includes("--node")) return await spawnOne(options);
  return await (await import("./spawn-cluster.ts")).spawnCluster(options, JSON.parse(cluster));
}

async function spawnOne(options: SpawnOptions): Promise<SpawnedZaguan> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "zaguan-test-"));
  const hub = new Spawned(folder, options);
  try {
    await hub.started();
    return hub;
  } catch (error) {
    await hub.kill();
    hub.cleanUp();
    throw error;
  }
}

/** The processes below one, each before its own children. */
export function descendantsOf(pid: number): number[] {
  const children = tasksOf(pid).flatMap((task) => numbersIn(`/proc/${pid}/task/${task}/children`));
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

class Spawned implements SpawnedZaguan {
  url = "";
  readonly pid: number;
  readonly folder: string;
  readonly configFile: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #temporary: boolean;
  readonly #killAtExit = (): void => void this.#child.kill("SIGKILL");
  #stdout = "";
  #stderr = "";
  #stopping: Promise<void> | undefined;

  constructor(folder: string, options: SpawnOptions) {
    const { config, args = [], env, descriptors = {}, isOwnGroup: detached = false } = options;
    this.folder = folder;
    this.#temporary = options.folder === undefined;
    this.configFile = join(folder, "zaguan.json");
    if (config) this.writeConfig(config);
    const files = ["--data", join(folder, "data"), "--config", this.configFile];
    const { command, args: words } = zaguanCommand("serve", "--port", "0", ...files, ...args);
    const stdio: Exclude<StdioOptions, string> = ["ignore", "pipe", "pipe"];
    for (const [at, ours] of Object.entries(descriptors)) stdio[Number(at)] = ours;
    const [first = "", ...rest] = [...(detached ? endingWithUs("TERM") : []), command, ...words];
    this.#child = spawn(first, rest, {
      cwd: folder,
      detached,
      env: cleanEnvironment(env),
      stdio: Array.from(stdio, asIgnored),
    });
    this.pid = this.#child.pid ?? -1;
    this.#ended = endOf(this.#child);
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.#stdout += text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    process.once("exit", this.#killAtExit);
  }

  stdout(): string {
    return this.#stdout;
  }

  stderr(): string {
    return this.#stderr;
  }

  async started(): Promise<void> {
    const limit = performance.now() + START_LIMIT_MS;
    const ready = (): boolean => ADDRESS.test(this.#stdout) || this.#hasEnded() || performance.now() > limit;
    await until("the hub starts, ends or takes too long", ready, 2 * START_LIMIT_MS);
    if (this.#hasEnded()) await this.#ended;
    this.url = ADDRESS.exec(this.#stdout)?.[0] ?? "";
    assert.ok(
      this.url && !this.#hasEnded(),
      `the hub printed no address (exit ${this.#child.exitCode}); ${this.#said()}`,
    );
    // A test that fails before it stops its hub must not keep the whole run waiting: at our end the hub is killed.
    for (const handle of [this.#child, this.#child.stdout, this.#child.stderr]) (handle as Handle | null)?.unref();
  }

  writeConfig(config: object): void {
    const limits = { ...PATIENT, ...("limits" in config ? (config.limits as object) : {}) };
    const written = `${this.configFile}.new`;
    writeFileSync(written, `${JSON.stringify({ ...config, limits }, null, 2)}\n`);
    renameSync(written, this.configFile);
  }

  descendants(): number[] {
    return descendantsOf(this.pid);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async kill(): Promise<void> {
    this.#child.ref();
    this.#child.kill("SIGKILL");
    await this.#ended;
    process.off("exit", this.#killAtExit);
  }

  cleanUp(): void {
    if (this.#temporary && existsSync(this.folder)) rmSync(this.folder, { recursive: true, force: true });
  }

  async #stop(): Promise<void> {
    const below = this.descendants();
    this.#child.kill("SIGTERM");
    try {
      await until("the hub ends after SIGTERM", () => this.#hasEnded(), STOP_LIMIT_MS);
      await this.#ended;
      assert.equal(this.#child.exitCode, 0, `signal ${this.#child.signalCode}; ${this.#said()}`);
      await until("no process is left below the hub", () => !below.some(isRunning));
    } finally {
      await this.kill();
      this.cleanUp();
    }
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #said(): string {
    return `it said:\n${this.#stdout}${this.#stderr}`;
  }
}

/** Numbers that nobody asked for are not open in the child. */
function asIgnored<T>(given: T): T | "ignore" {
  return given ?? "ignore";
}

/** What keeps this process running: pipes to a child are sockets. */
type Handle = Pick<Socket, "unref">;

/** Its end with all that it said; a process that it left behind with our pipe in its hand does not hold us. */
async function endOf(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  await once(child, "exit");
  await Promise.race([closed, sleep(1_000)]);
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function numbersIn(file: string): number[] {
  try {
    return readFileSync(file, "latin1").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
