/** Configuration entries for the two servers of the reliability tests, and the reading of what they leave behind. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const LEDGER = fileURLToPath(new URL("./ledger-server.mjs", import.meta.url));
const EVIL = fileURLToPath(new URL("./evil-server.mjs", import.meta.url));

export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly zaguan?: object;
}

/** @param workMs how long `echo`, `incr` and `put` take before they answer */
export function ledgerServer(file: string, workMs = 0, zaguan: object = {}): ServerEntry {
  return { command: process.execPath, args: [LEDGER, file, String(workMs)], zaguan };
}

/** @param pidFile gets one line for every start */
export function evilServer(way: string, pidFile?: string, zaguan: object = {}): ServerEntry {
  return { command: process.execPath, args: [EVIL, way, ...(pidFile === undefined ? [] : [pidFile])], zaguan };
}

export interface Execution {
  readonly tag: string;
  readonly pid: number;
}

export function readLedger(file: string): Execution[] {
  return linesOf(file).map((line) => {
    const [tag = "", pid = ""] = line.split(" ");
    return { tag, pid: Number(pid) };
  });
}

export function readPids(file: string): number[] {
  return linesOf(file).map(Number);
}

export function ledgerIn(folder: string, name = "ledger"): string {
  return join(folder, `${name}.txt`);
}

function linesOf(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8").split("\n").slice(0, -1);
}
