/** Reads the ledger of `life-server.mjs`: when each process of a source was alive, and which calls ran in it. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

/** The lifetime of one process of a source, in times of `sharedNow`. */
export interface Life {
  readonly source: string;
  readonly pid: number;
  /** The process id of the hub that started it. */
  readonly parent: number;
  readonly bornAt: number;
  /** Its last sign of life. */
  lastAt: number;
}

interface Execution {
  readonly source: string;
  readonly tag: string;
  readonly pid: number;
  readonly at: number;
}

/** The ledger of one source, as far as it has been read. */
export class LifeLedger {
  readonly source: string;
  readonly lives: Life[] = [];
  readonly executions: Execution[] = [];
  /** The last process of each pid: the system reuses pids. */
  readonly #alive = new Map<number, Life>();
  readonly #file: string;
  #read = 0;

  constructor(source: string, file = "") {
    this.source = source;
    this.#file = file;
  }

  /** Reads what was written since the last update. */
  update(): this {
    if (!existsSync(this.#file)) return this;
    const text = bytesFrom(this.#file, this.#read);
    // The last line may be incomplete.
    const whole = text.subarray(0, text.lastIndexOf("\n") + 1);
    this.#read += whole.length;
    return this.take(...whole.toString("latin1").split("\n").filter(Boolean));
  }

  take(...lines: readonly string[]): this {
    for (const line of lines) this.#take(line);
    return this;
  }

  #take(line: string): void {
    const { source } = this;
    const [what, pidText, time, more = ""] = line.split(" ");
    const [pid, at] = [Number(pidText), Number(time) / 1_000];
    if (what === "born") {
      const life: Life = { source, pid, parent: Number(more), bornAt: at, lastAt: at };
      this.#alive.set(pid, life);
      this.lives.push(life);
    }
    const life = this.#alive.get(pid);
    if (life) life.lastAt = Math.max(life.lastAt, at);
    if (what === "begun") this.executions.push({ source, tag: more, pid, at });
  }
}

/** Two processes of one source, started by different hubs, that were alive at the same time. */
interface TwoOwners {
  readonly one: Life;
  readonly other: Life;
  readonly ms: number;
}

export function twoOwnersIn(lives: readonly Life[]): TwoOwners[] {
  return lives.flatMap((one, index) =>
    lives.slice(index + 1).flatMap((other) => {
      const ms = Math.min(one.lastAt, other.lastAt) - Math.max(one.bornAt, other.bornAt);
      return one.parent !== other.parent && ms >= 0 ? [{ one, other, ms }] : [];
    }),
  );
}

function bytesFrom(file: string, start: number): Buffer {
  const opened = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(fstatSync(opened).size - start);
    return bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, start));
  } finally {
    closeSync(opened);
  }
}
