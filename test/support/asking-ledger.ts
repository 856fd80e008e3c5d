/** A stdio server that asks its clients back (`asking-server.mjs`), as an entry of a configuration, and what it wrote down. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isRunning } from "./processes.ts";

const SERVER = fileURLToPath(new URL("./asking-server.mjs", import.meta.url));

export class AskingServer {
  readonly folder: string = mkdtempSync(join(tmpdir(), "zaguan-asking-"));
  readonly #ledger = join(this.folder, "ledger");
  readonly #watched = join(this.folder, "watched");
  readonly uri = `file://${this.#watched}`;

  constructor() {
    writeFileSync(this.#ledger, "");
    writeFileSync(this.#watched, "0");
  }

  entry(more: object = {}): object {
    return { command: process.execPath, args: this.args, ...more };
  }

  get args(): readonly string[] {
    return [SERVER, this.#ledger, this.#watched];
  }

  /** Those who subscribed are told. */
  change(text: string): void {
    writeFileSync(this.#watched, text);
  }

  lines(what: RegExp = /(?:)/): readonly string[] {
    return readFileSync(this.#ledger, "utf8")
      .split("\n")
      .filter((line) => line !== "" && what.test(line));
  }

  /** Every process of it that there ever was. */
  started(): readonly number[] {
    return this.lines(/ started$/).map((line) => Number.parseInt(line, 10));
  }

  alive(): readonly number[] {
    return this.started().filter(isRunning);
  }

  /** Those that run and were opened for a client that can be asked. */
  lent(): readonly number[] {
    const declared = new Set(this.lines(/ declared \{"/).map((line) => Number.parseInt(line, 10)));
    return this.alive().filter((pid) => declared.has(pid));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
