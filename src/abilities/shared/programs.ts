/**
 * How an ability uses the real programs of this machine: whichever of several is there and works. A tool whose programs
 * are all missing says which packages bring them; one whose programs all failed says why.
 */
import { existsSync } from "node:fs";
import { ZaguanError } from "../../errors.ts";
import { anyOf, LightAbort } from "../../light-abort.ts";
import { ProgramError, type Ran, type RunOptions, runProgram } from "../../link/run-program.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import type { HandlerContext } from "../../user-tools/tool.ts";

/** What a call brings along, and where programs are looked for. */
export interface Asking extends HandlerContext {
  readonly env: Readonly<Record<string, string>>;
}

export interface Candidate<T> {
  readonly program: string;
  /** The package that brings it, as Debian names it. */
  readonly package: string;
  run(): Promise<T>;
}

/** A program that ended by itself, and not well, or whose output is of no use. */
export class Complaint extends Error {
  readonly program: string;

  constructor(program: string, reason: string) {
    super(reason);
    this.name = "Complaint";
    this.program = program;
  }
}

const REASON_LENGTH = 200;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_048_576;

/** Runs it to a good end; anything else is a Complaint or a ProgramError. */
export async function runWell(
  program: string,
  args: readonly string[],
  asking: Asking,
  more: Partial<RunOptions> = {},
): Promise<Ran> {
  const { env, signal, language } = asking;
  const ran = await runProgram(program, args, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, env, signal, ...more });
  if (ran.code === 0) return ran;
  const said = lastLine(ran.stderr) || lastLine(ran.stdout.subarray(-1000).toString());
  throw new Complaint(program, said || say(language, "ability.exitCode", { code: ran.code }));
}

/** Tries one after the other until one gives something. */
export async function firstThatWorks<T>(language: Language, candidates: readonly Candidate<T>[]): Promise<T> {
  const failures: string[] = [];
  for (const candidate of candidates) {
    try {
      return await candidate.run();
    } catch (error) {
      if (!(error instanceof ProgramError || error instanceof Complaint)) throw error;
      if (error instanceof ProgramError && error.fault === "cancelled") throw failureOf(language, error);
      if (!isMissing(error)) failures.push(failureOf(language, error).message);
    }
  }
  throw failures.length > 0 ? new Error(failures.join("; ")) : noProgram(language, candidates);
}

export function noProgram(language: Language, candidates: readonly Omit<Candidate<unknown>, "run">[]): Error {
  const packages = candidates.map(({ program, package: name }) => (program === name ? name : `${name} (${program})`));
  return new Error(say(language, "ability.noProgram", { packages: [...new Set(packages)].join(", ") }));
}

export function isMissing(error: unknown): boolean {
  return error instanceof ProgramError && error.fault === "missing";
}

/** The failure of a program in the caller's language. */
export function failureOf(language: Language, error: ProgramError | Complaint): Error {
  const reason = error instanceof Complaint ? error.message : say(language, `ability.fault.${error.fault}`);
  return new Error(say(language, "ability.failed", { program: error.program, reason }));
}

export function onlyLinux(language: Language): Error {
  return new Error(say(language, "ability.onlyLinux", { platform: process.platform }));
}

function lastLine(text: string): string {
  const line = text.trim().split("\n").at(-1) ?? "";
  return line.replace(/\s+/g, " ").slice(0, REASON_LENGTH);
}

/** What every call of one ability shares: the variables of its programs, and that they end when the ability is closed. */
export class Asker {
  readonly env: Readonly<Record<string, string>>;
  readonly #closing = new LightAbort();

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.env = desktopEnvironment(env);
  }

  ask({ language, signal }: HandlerContext): Asking {
    return { language, signal: anyOf(signal, this.#closing), env: this.env };
  }

  close(): void {
    this.#closing.abort(new Error("closed"));
  }
}

/**
 * The variables by which a program finds the desktop, the sound and the session of the user. The short list that every
 * child gets does not have them: a server of somebody else has no business on the user's screen.
 */
const NAMES = [
  "PATH",
  "HOME",
  "LANG",
  "DISPLAY",
  "XAUTHORITY",
  "WAYLAND_DISPLAY",
  "SWAYSOCK",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "XDG_SESSION_TYPE",
  "XDG_CURRENT_DESKTOP",
  "XDG_DATA_DIRS",
  "XDG_DATA_HOME",
  "XDG_CONFIG_HOME",
  "PULSE_SERVER",
  "PULSE_COOKIE",
  "PIPEWIRE_REMOTE",
  "ALSA_CARD",
  "AUDIODEV",
];

export function desktopEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found = NAMES.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...runtimeFolder(), ...Object.fromEntries(found) };
}

/** A hub that runs as a service has no XDG_RUNTIME_DIR: the usual place is taken, if it is there. */
function runtimeFolder(): Record<string, string> {
  const folder = `/run/user/${process.getuid?.() ?? ""}`;
  return process.platform === "linux" && existsSync(folder) ? { XDG_RUNTIME_DIR: folder } : {};
}

/** Why something failed, without the frame of an error of ours. */
export function reasonOf(error: unknown): string {
  if (error instanceof ZaguanError) return String(error.details.params?.["reason"] ?? error.code);
  return error instanceof Error ? error.message : String(error);
}
