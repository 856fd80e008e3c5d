#!/usr/bin/env node
/**
 * The command `zaguan`: finds the command in the table, parses its words and runs it. Whatever goes wrong ends as one line
 * on stderr and an exit code: 2 for wrong usage, 1 for everything else. In a checkout `scripts/zaguan.mjs` comes before it.
 */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { nearest } from "../contract/rules.ts";
import { isLanguage, LANGUAGES, type Language, say } from "../messages/catalogue.ts";
import { NAME, VERSION } from "../version.ts";
import { type Command, processWorld, type Say, type World } from "./command.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./commands/index.ts";
import { report, UsageError } from "./failures.ts";
import { parseCommandLine } from "./parse.ts";

interface Request {
  /** Undefined for `--help` and `--version` alone. */
  readonly name: string | undefined;
  readonly args: readonly string[];
}

/** Resolves with the exit code. */
export async function main(argv: readonly string[], world: World = processWorld()): Promise<number> {
  let language: Language = "en";
  try {
    const asked = languageAsked(argv, world.env);
    const request = splitCommand(argv);
    language = asked ?? findCommand(request.name)?.language ?? language;
    return await dispatch(request, world, language, asked !== undefined);
  } catch (cause) {
    return report(cause, language, world);
  }
}

async function dispatch(request: Request, world: World, language: Language, languageGiven: boolean): Promise<number> {
  const { name, args } = request;
  const speak: Say = (key, params) => say(language, key, params);
  if (name === undefined && (args[0] === "--version" || args[0] === "-V")) return print(world, `${NAME} ${VERSION}\n`);
  if (name === undefined || name === "help" || asksForHelp(args)) return help(request, speak, world);
  const command = findCommand(name);
  if (!command) throw unknownCommand(name);
  const line = parseCommandLine(command, args);
  if (world.stdout === process.stdout) surviveLostReader(command);
  const loaded = await command.load();
  return loaded.run({ ...line, command, world, language, languageGiven, say: speak });
}

function findCommand(name: string | undefined): Command | undefined {
  return COMMANDS.find((command) => command.name === name);
}

/** `--lang` may stand before the command; any other option there belongs to `serve`. */
function splitCommand(argv: readonly string[]): Request {
  let at = 0;
  while (/^--lang(?:=|$)/.test(argv[at] ?? "")) at += argv[at] === "--lang" ? 2 : 1;
  const [before, first] = [argv.slice(0, at), argv[at]];
  if (first !== undefined && !first.startsWith("-")) return { name: first, args: [...before, ...argv.slice(at + 1)] };
  if (first !== undefined && ["--version", "-V", "--help", "-h"].includes(first)) {
    return { name: undefined, args: argv.slice(at) };
  }
  return { name: DEFAULT_COMMAND, args: argv };
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

/** Both `zaguan help NAME` and `zaguan NAME --help`. */
async function help({ name, args }: Request, speak: Say, world: World): Promise<number> {
  const wanted = name === "help" ? args.find((word, at) => !word.startsWith("-") && args[at - 1] !== "--lang") : name;
  const { commandHelp, generalHelp } = await import("./help.ts");
  if (wanted === undefined) return print(world, generalHelp(speak));
  const command = findCommand(wanted);
  if (!command) throw unknownCommand(wanted);
  return print(world, commandHelp(command, speak));
}

function unknownCommand(word: string): UsageError {
  const guess = nearest(
    word,
    COMMANDS.map(({ name }) => name),
  );
  if (guess !== undefined) return new UsageError("cli.usage.unknownCommandNear", { word, guess });
  return new UsageError("cli.usage.unknownCommand", { word });
}

function print(world: World, text: string): number {
  world.stdout.write(text);
  return 0;
}

/** `zaguan tools | head -1` ends quietly; a hub does not fail when nobody reads what it says, or its terminal is closed. */
function surviveLostReader(command: Command): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (command.lasting) return;
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  if (command.lasting) process.stderr.on("error", () => {});
}

/**
 * The language of a command: `--lang`, then ZAGUAN_LANG, else unknown. Found before parsing, whose errors need it. Throws a
 * UsageError if somebody asked for a language that we do not speak.
 */
function languageAsked(argv: readonly string[], env: World["env"]): Language | undefined {
  const flag = lastLang(argv);
  if (flag !== undefined) return checkedLanguage("--lang", flag);
  const variable = env["ZAGUAN_LANG"];
  return variable ? checkedLanguage("ZAGUAN_LANG", variable) : undefined;
}

/** The last `--lang` before a "--". */
function lastLang(argv: readonly string[]): string | undefined {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const given = words.flatMap((word, index) => {
    if (word.startsWith("--lang=")) return [word.slice("--lang=".length)];
    const value = word === "--lang" ? words[index + 1] : undefined;
    return value === undefined ? [] : [value];
  });
  return given.at(-1);
}

function checkedLanguage(option: string, word: string): Language {
  if (isLanguage(word)) return word;
  throw new UsageError("cli.usage.language", { option, word, choices: LANGUAGES.join(", ") });
}

function isRunDirectly(): boolean {
  const script = process.argv[1];
  try {
    return script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url);
  } catch {
    return false;
  }
}

if (isRunDirectly()) {
  process.exitCode = await main(process.argv.slice(2));
}
