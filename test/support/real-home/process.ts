/**
 * Home Assistant as a process, in a process group of its own that ends as a whole: when it is killed, when it is stopped,
 * and when this process dies without having said anything.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import process from "node:process";
import { isRunning, until } from "../processes.ts";
import { cleanEnvironment, descendantsOf } from "../spawn-zaguan.ts";

const STOP_LIMIT_MS = 60_000;
/** The watcher shares the group; nobody writes to its pipe, so that reading ends when our end of it is gone. */
const WATCHED = 'exec 3<&0; (read -r _ <&3; kill -9 0) & exec "$@" 3<&- </dev/null';
/** It goes on running without a house in the first case and without a door in the second: both must not pass for a start. */
const HOPELESS = [/recovery.mode/i, /Failed to create HTTP server/];

export class HomeAssistantProcess {
  readonly #child: ChildProcess;
  readonly #group: number;
  readonly #killGroup = (): void => killGroup(this.#group);
  #output = "";

  constructor(python: string, folder: string) {
    const words = [join(dirname(python), "hass"), "-c", folder, "--skip-pip"];
    this.#child = spawn("sh", ["-c", WATCHED, "sh", ...words], {
      detached: true,
      env: cleanEnvironment(),
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#group = this.#child.pid ?? Number.NaN;
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => (this.#output += text));
    }
    process.once("exit", this.#killGroup);
  }

  /** Throws if this start will never come to a good end. */
  check(): void {
    const said = this.#output.split("\n").find((line) => HOPELESS.some((words) => words.test(line)));
    if (said === undefined && !this.hasEnded()) return;
    throw new Error(`Home Assistant did not start: ${said ?? "it ended"}\n${this.#output}`);
  }

  output(): string {
    return this.#output;
  }

  hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** SIGTERM, as an operator ends it; what is left of the group after that is killed. */
  async stop(): Promise<void> {
    const below = descendantsOf(this.#group);
    if (!this.hasEnded()) this.#child.kill("SIGTERM");
    try {
      await until("Home Assistant ends after SIGTERM", () => this.hasEnded(), STOP_LIMIT_MS);
    } finally {
      await this.#end(below);
    }
  }

  /** Its port is free and its files are at rest when this resolves. */
  async kill(): Promise<void> {
    await this.#end(descendantsOf(this.#group));
  }

  async #end(below: readonly number[]): Promise<void> {
    this.#killGroup();
    await until("no process of Home Assistant is left", () => this.hasEnded() && !below.some(isRunning));
    process.off("exit", this.#killGroup);
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nothing is left of it.
  }
}
