/**
 * The four servers whose calls wait (on stdio and over HTTP, of either era): their entries in a configuration, the life
 * of those that the hub does not start itself, and what all of them wrote down.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Era } from "./clients/client.ts";
import { isRunning } from "./processes.ts";

const SERVER = fileURLToPath(new URL("./waiting-server/main.mjs", import.meta.url));

export interface WaitingSource {
  readonly name: string;
  readonly era: Era;
  readonly overHttp: boolean;
}

export const WAITING_SOURCES: readonly WaitingSource[] = [
  { name: "stdio-2025", era: "2025", overHttp: false },
  { name: "http-2025", era: "2025", overHttp: true },
  { name: "stdio-2026", era: "2026", overHttp: false },
  { name: "http-2026", era: "2026", overHttp: true },
];

/** A server on stdio, which the hub starts. */
export function waitingCommand({ name, era }: WaitingSource, ledger: string): object {
  return { command: process.execPath, args: [SERVER, ledger, name, era] };
}

/** A server over HTTP. It ends with the test, however that ends. */
export class WaitingHttpServer {
  readonly #source: WaitingSource;
  readonly #ledger: string;
  #child: ChildProcess | undefined;
  #port = "0";

  constructor(source: WaitingSource, ledger: string) {
    this.#source = source;
    this.#ledger = ledger;
  }

  get entry(): object {
    return { url: `http://127.0.0.1:${this.#port}/mcp`, zaguan: { allowPrivate: true } };
  }

  /** Every time at the same port. */
  async start(): Promise<void> {
    const { name, era } = this.#source;
    const child = spawn(process.execPath, [SERVER, this.#ledger, name, era, this.#port], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    this.#child = child;
    if (!child.stdout) throw new Error("no output");
    const [address] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    this.#port = new URL(address).port;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** Cuts its connections, and lives on. */
  cut(): void {
    this.#child?.kill("SIGUSR2");
  }
}

export interface LedgerLine {
  readonly event: "started" | "began" | "told" | "asked" | "answered" | "subscribed" | "unsubscribed";
  readonly nonce: string;
  /** Milliseconds of the machine's clock. */
  readonly at: number;
  readonly pid: number;
}

/** What the servers wrote down so far. */
export class WaitingLedger {
  readonly file: string;
  readonly #lines: LedgerLine[] = [];
  readonly #byKey = new Map<string, LedgerLine[]>();
  readonly #buffer = Buffer.alloc(65_536);
  #read = 0;

  constructor(file: string) {
    this.file = file;
  }

  lines(): readonly LedgerLine[] {
    this.#refresh();
    return this.#lines;
  }

  /** Those of one server's processes that run. */
  processesOf({ name }: WaitingSource): readonly number[] {
    return this.all("started", name)
      .map(({ pid }) => pid)
      .filter(isRunning);
  }

  all(event: LedgerLine["event"], nonce: string): readonly LedgerLine[] {
    this.#refresh();
    return this.#byKey.get(`${event} ${nonce}`) ?? [];
  }

  /** Only what is new: tests look again and again. */
  #refresh(): void {
    if (!existsSync(this.file)) return;
    const file = openSync(this.file, "r");
    const bytes = readSync(file, this.#buffer, 0, this.#buffer.length, this.#read);
    closeSync(file);
    const end = this.#buffer.lastIndexOf("\n", bytes - 1) + 1;
    if (bytes === 0 || end === 0) return;
    const text = this.#buffer.toString("utf8", 0, end);
    this.#read += end;
    for (const line of text.trimEnd().split("\n")) this.#add(JSON.parse(line) as LedgerLine);
    this.#refresh();
  }

  #add(line: LedgerLine): void {
    this.#lines.push(line);
    const key = `${line.event} ${line.nonce}`;
    this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), line]);
  }
}
