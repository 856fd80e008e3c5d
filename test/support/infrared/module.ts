/** The infrared module of the tests: a real terminal line with `module.py` at its far end. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { until } from "../processes.ts";
import { complaintOf } from "../run-program.ts";

const SCRIPT = fileURLToPath(new URL("module.py", import.meta.url));

/** Why there can be none here; false if there can. For `skip`. */
export const noModule: string | false =
  process.platform === "linux"
    ? ((await complaintOf("python3", ["-c", "import os, select; os.openpty()"])) ?? false)
    : "no Linux";

export type Mode =
  | "normal"
  | "silent"
  | "wrong-checksum"
  | "busy"
  | "garbage-first"
  | "slow"
  | "deaf"
  | "no-code"
  | "wrong-code-checksum";

export class SimulatedModule {
  readonly port: string;
  /** Frames that it understood, in the order of their coming. */
  readonly got: string[] = [];
  /** What it said itself; it is on the line by then. */
  readonly said: string[] = [];
  /** What was said to it and is no frame. */
  readonly noise: string[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  #asked = 0;
  #done = 0;

  private constructor(child: ChildProcessWithoutNullStreams, lines: AsyncIterator<string>, port: string) {
    this.#child = child;
    this.port = port;
    void this.#listen(lines);
  }

  static async start(): Promise<SimulatedModule> {
    const child = spawn("python3", ["-u", SCRIPT]);
    child.stderr.pipe(process.stderr);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [, port = ""] = String((await lines.next()).value).split(" ");
    return new SimulatedModule(child, lines, port);
  }

  mode(mode: Mode): Promise<void> {
    return this.#tell(`mode ${mode}`);
  }

  press(code: string): Promise<void> {
    return this.#tell(`press ${code}`);
  }

  pressGlued(code: string): Promise<void> {
    return this.#tell(`press-glued ${code}`);
  }

  raw(bytes: string): Promise<void> {
    return this.#tell(`raw ${bytes}`);
  }

  unplug(): Promise<void> {
    return this.#tell("unplug");
  }

  async hears(frame: string): Promise<void> {
    await until(`the module has heard ${frame}`, () => this.got.includes(frame));
  }

  async answers(frame: string): Promise<void> {
    await until(`the module has answered ${frame}`, () => this.said.includes(frame));
  }

  async close(): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.stdin.end();
    await closed;
  }

  /** Resolves when it has been done. */
  async #tell(command: string): Promise<void> {
    const number = ++this.#asked;
    this.#child.stdin.write(`${command}\n`);
    await until(`the module has done: ${command}`, () => this.#done >= number);
  }

  async #listen(lines: AsyncIterator<string>): Promise<void> {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const [word, ...rest] = line.value.split(" ");
      if (word === "done") this.#done += 1;
      else if (word === "got") this.got.push(rest.join(" "));
      else if (word === "said") this.said.push(rest.join(" "));
      else this.noise.push(line.value);
    }
  }
}
