/** What every subject has in common. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Era, Target } from "../load/protocol.ts";
import type { Started } from "../processes.ts";
import type { Work } from "../work.ts";

/** A subject that runs and can be loaded. */
export interface Running {
  readonly target: Target;
  /** Whose processor time counts; none for what the generator starts itself. */
  readonly pid?: number;
  /** The last that it said. */
  said?(): string;
  /** Waits until it knows all that it offers; without it, it does as soon as it listens. */
  ready?(): Promise<void>;
  stop(): Promise<void>;
}

export interface Subject {
  readonly name: string;
  /** What it is and in which mode it runs. */
  readonly what: string;
  /** The era it is asked in, where that is not the work's. */
  readonly era?: Era;
  /** Ours must not fail; a peer that fails is left out, visibly. */
  readonly ours?: boolean;
  /** Rejects with the reason if it cannot be had here. */
  start(work: Work): Promise<Running>;
}

export const NODE: string = process.execPath;

/** The file of a program of the bench. */
export function program(name: string): string {
  return fileURLToPath(new URL(`../programs/${name}`, import.meta.url));
}

/** A file of a package of the bench. */
export function packaged(path: string): string {
  return fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
}

/** The command of the stdio upstream. */
export function echoStdio(work: Work): readonly string[] {
  return [NODE, program("echo-stdio.mjs"), echoSettings(work)];
}

export function echoSettings({ era, tools }: Work): string {
  return JSON.stringify({ era: era === "2026" ? "2026" : "2025", tools });
}

export interface OverHttp {
  readonly path?: string;
  /** At most so many sessions are opened; the connections share them. */
  readonly sessions?: number;
  /** What has to be ended or removed after it. */
  readonly clean?: () => Promise<void> | void;
}

export function overHttp(started: Started, { path = "/mcp", sessions, clean }: OverHttp = {}): Running {
  const { pid, url, said } = started;
  const target: Target = { kind: "http", url: `${url}${path}`, ...(sessions === undefined ? {} : { sessions }) };
  return { target, pid, said, stop: () => stopBoth(started, clean) };
}

export function overWebSocket(started: Started, path: string, clean?: OverHttp["clean"]): Running {
  const url = `${started.url.replace("http:", "ws:")}${path}`;
  return { target: { kind: "websocket", url }, pid: started.pid, stop: () => stopBoth(started, clean) };
}

async function stopBoth(started: Started, clean: OverHttp["clean"]): Promise<void> {
  await started.stop();
  await clean?.();
}
