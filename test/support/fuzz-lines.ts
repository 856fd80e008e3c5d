/** Pours spoilt lines into a child and keeps account: who must be answered, who may be, and who was. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { LineChild } from "./line-child.ts";
import { residentMb } from "./memory.ts";
import { mutate } from "./mutator.ts";
import { keyOf, type Reading } from "./readings.ts";
import type { Random } from "./seed.ts";

export interface LineDialect {
  readonly corpus: readonly ((n: number) => Record<string, unknown>)[];
  read(bytes: Buffer): Reading | "quit";
  /** A request that is surely answered, by whose answer one knows that the lines before have been read. */
  probe(id: string): object;
  /** False for what the child says by itself. */
  isAnswer(message: Readonly<Record<string, unknown>>): boolean;
  isInternalError(message: Readonly<Record<string, unknown>>): boolean;
}

const LINES_AT_ONCE = 200;
const LIMIT_MS = 60_000;
const NEWLINE = 0x0a;

interface Account {
  least: number;
  most: number;
  came: number;
  line: string;
}

export class LineFuzz {
  readonly #child: LineChild;
  readonly #dialect: LineDialect;
  readonly #random: Random;
  readonly #accounts = new Map<string, Account>();
  readonly #all = { least: 0, most: 0, came: 0 };
  readonly #internal: unknown[] = [];
  #sent = 0;

  constructor(child: LineChild, dialect: LineDialect, random: Random) {
    this.#child = child;
    this.#dialect = dialect;
    this.#random = random;
    child.onMessage((message) => this.#take(message));
  }

  /** Resolves with how much the child's memory grew, in MB, after a warm-up. */
  async run(count: number): Promise<number> {
    let before = 0;
    while (this.#sent < count) {
      await this.#pour(Math.min(LINES_AT_ONCE, count - this.#sent));
      if (before === 0 && this.#sent >= count / 5) before = residentMb(this.#child.pid);
    }
    await sleep(300);
    this.#assertAccounts();
    return residentMb(this.#child.pid) - before;
  }

  async #pour(count: number): Promise<void> {
    for (let round = 0; round < count; round++) {
      this.#sent += 1;
      const line = mutate(this.#random, this.#random.pick(this.#dialect.corpus)(this.#sent));
      if (this.#expect(line)) await this.#child.write(Buffer.concat([line, Buffer.from("\n")]));
    }
    const id = `probe ${this.#sent}`;
    this.#settle({ key: keyOf(id), own: [1, 1], all: [1, 1] }, id);
    await this.#child.write(`${JSON.stringify(this.#dialect.probe(id))}\n`);
    await this.#answered();
  }

  /** A spoilt line may have become several. False for a line that would end the conversation. */
  #expect(bytes: Buffer): boolean {
    const lines = splitLines(bytes);
    const readings = lines.map((line) => this.#dialect.read(line));
    if (readings.includes("quit")) return false;
    readings.forEach((reading, at) => void this.#settle(reading as Reading, String(lines[at]?.subarray(0, 300))));
    return true;
  }

  #settle({ key, own, all }: Reading, line: string): void {
    this.#all.least += all[0];
    this.#all.most += all[1];
    if (key === undefined) return;
    const account = this.#accounts.get(key) ?? { least: 0, most: 0, came: 0, line };
    account.least += own[0];
    account.most += own[1];
    this.#accounts.set(key, account);
  }

  #take(message: Readonly<Record<string, unknown>>): void {
    if (!this.#dialect.isAnswer(message)) return;
    this.#all.came += 1;
    if (this.#dialect.isInternalError(message)) this.#internal.push(message);
    if (message["id"] === null || message["id"] === undefined) return;
    const key = keyOf(message["id"]);
    const account = this.#accounts.get(key) ?? { least: 0, most: 0, came: 0, line: "(never sent)" };
    account.came += 1;
    this.#accounts.set(key, account);
  }

  async #answered(): Promise<void> {
    const end = performance.now() + LIMIT_MS;
    while (this.#child.running && performance.now() < end) {
      if (this.#all.came >= this.#all.least && !this.#missing()) return;
      await sleep(2);
    }
    this.#child.assertRunning();
    this.#assertAccounts();
  }

  #missing(): boolean {
    for (const { came, least } of this.#accounts.values()) if (came < least) return true;
    return false;
  }

  #assertAccounts(): void {
    const wrong = [...this.#accounts].filter(([, { least, most, came }]) => came < least || came > most);
    assert.deepEqual(wrong.slice(0, 3), [], `${wrong.length} ids were not answered as often as they must`);
    const { least, most, came } = this.#all;
    assert.ok(came >= least && came <= most, `${came} answers where ${least} to ${most} are due`);
    assert.deepEqual(this.#internal.slice(0, 3), [], `${this.#internal.length} internal errors`);
    assert.deepEqual(this.#child.impure.slice(0, 3), [], "stdout carries other things than JSON lines");
    this.#child.assertRunning();
  }
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}
