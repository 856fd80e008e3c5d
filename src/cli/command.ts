/**
 * What a command is: a row of the table that feeds parsing, help and shell completion; and the context it runs in, with the
 * process around it.
 */
import { once } from "node:events";
import type { Language, MessageKey, MessageParams } from "../messages/catalogue.ts";

export interface OptionSpec {
  /** Without its dashes. */
  readonly name: string;
  readonly summary: MessageKey;
  readonly short?: string;
  /** What stands for the value in help; absent for an option that is given or not. */
  readonly value?: string;
  /** The only values there are, in whatever case. */
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly many?: boolean;
  /** Values that are accepted and ignored for an option without a value. */
  readonly tolerates?: readonly string[];
  /** Read where the option is not given. */
  readonly env?: string;
  /** The words of the command that this option belongs to; all where absent. */
  readonly with?: readonly string[];
  /** The value is a path: for completion. */
  readonly path?: "file" | "folder";
}

interface OperandSpec {
  readonly name: string;
  readonly optional?: boolean;
  /** Takes all that are left, at least one unless optional. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
  readonly path?: "file";
}

/** What may stand behind a command's name: fixed words, or operands. */
export interface Grammar {
  readonly words?: Readonly<Record<string, Grammar>>;
  readonly operands?: readonly OperandSpec[];
}

export interface Command extends Grammar {
  readonly name: string;
  readonly summary: MessageKey;
  /** Further lines of its help. */
  readonly about?: MessageKey;
  /** What follows "zaguan", one line for each form. */
  readonly usage: readonly string[];
  readonly examples?: readonly string[];
  readonly options: readonly OptionSpec[];
  /** An option that stands in for the words. */
  readonly wordless?: string;
  /** A program and its arguments may stand behind "--". */
  readonly program?: boolean;
  /** Its language where nobody asks for one; English unless given. */
  readonly language?: Language;
  /** Goes on when nobody reads its output any more. */
  readonly lasting?: boolean;
  load(): Promise<CommandModule>;
}

interface CommandModule {
  /** Resolves with the exit code. */
  run(context: Context): Promise<number>;
}

/** Options as they were written on the command line. */
type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface CommandLine {
  readonly flags: Flags;
  readonly operands: readonly string[];
  /** What stood behind "--", if that was there. */
  readonly program: readonly string[] | undefined;
}

/** A text in the user's language. */
export type Say = (key: MessageKey, params?: MessageParams) => string;

export interface Context extends CommandLine {
  readonly command: Command;
  readonly world: World;
  readonly language: Language;
  /** False where the language is a mere default. */
  readonly languageGiven: boolean;
  readonly say: Say;
}

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** The process around a command. Tests hand in their own. */
export interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Asks whoever sits at the terminal; absent where there is none. */
  ask?(question: string): Promise<string>;
}

export function processWorld(): World {
  const { env, stdin, stdout, stderr } = process;
  return { env, stdout, stderr, ...(stdin.isTTY && stderr.isTTY && { ask: askAtTerminal }) };
}

/** An end of the input (Ctrl+D) is an empty answer. */
async function askAtTerminal(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = once(lines, "close").then(() => "");
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.close();
  }
}
