/** A hub as `npm start` starts it, with its defaults, and what the kernel says of its memory. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../../scripts/zaguan.mjs", import.meta.url));

export interface Memory {
  /** Resident, in megabytes. */
  readonly resident: number;
  /** The same, without the share of what other processes have mapped too. */
  readonly proportional: number;
}

export class MeasuredHub {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #lines: () => number;

  static async start(): Promise<MeasuredHub> {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-devices-"));
    const files = ["--data", join(folder, "data"), "--config", join(folder, "zaguan.json")];
    const child = spawn(process.execPath, [MAIN, "serve", "--port", "0", ...files], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    process.once("exit", () => child.kill("SIGKILL"));
    let lines = 0;
    child.stderr.on("data", (bytes: Buffer) => {
      for (const byte of bytes) if (byte === NEW_LINE) lines++;
    });
    return new MeasuredHub(child, folder, await addressIn(child), () => lines);
  }

  private constructor(child: ChildProcess, folder: string, url: string, lines: () => number) {
    this.#child = child;
    this.#folder = folder;
    this.url = url;
    this.#lines = lines;
  }

  /** How many it has logged. */
  get lines(): number {
    return this.#lines();
  }

  /** Where there is no /proc, not known. */
  async memory(): Promise<Memory> {
    const read = (file: string): Promise<string> =>
      readFile(`/proc/${this.#child.pid}/${file}`, "utf8").catch(() => "");
    const resident = megabytesIn(await read("status"), "VmRSS");
    return { resident, proportional: megabytesIn(await read("smaps_rollup"), "Pss") };
  }

  /** When it has had time to do nothing: Node gives back what it does not need after a while. */
  async settledMemory(patienceMs = 60_000): Promise<Memory> {
    const until = performance.now() + patienceMs;
    let before = await this.memory();
    for (;;) {
      await sleep(SETTLE_MS);
      const now = await this.memory();
      if (Math.abs(now.resident - before.resident) < 1 || performance.now() > until) return now;
      before = now;
    }
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const NEW_LINE = 10;
const SETTLE_MS = 5_000;

async function addressIn(child: ChildProcess): Promise<string> {
  let said = "";
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(chunk);
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
    if (address) return address;
  }
  throw new Error(`the hub printed no address: ${said}`);
}

function megabytesIn(text: string, what: string): number {
  const found = new RegExp(`^${what}:\\s+(\\d+)`, "m").exec(text);
  return Number(found?.[1] ?? Number.NaN) / 1_024;
}
