/** What completion needs of the table of commands, the same for every shell. */
import type { Command, Grammar, OptionSpec } from "../command.ts";

/** A place in a command line: the words before it, and what may stand there. */
interface Place {
  /** The words after "zaguan", the command first. */
  readonly path: readonly string[];
  readonly words: readonly string[];
}

/** Every place where fixed words are expected, the command's own name left out. */
export function places(command: Command): readonly Place[] {
  return [...walk(command, [command.name])].filter(({ words }) => words.length > 0);
}

/** A command that takes a file as its operand. */
export function takesFile(command: Command): boolean {
  return command.operands?.some(({ path }) => path === "file") ?? false;
}

export function flagsOf(option: OptionSpec): readonly string[] {
  return [`--${option.name}`, ...(option.short === undefined ? [] : [`-${option.short}`])];
}

/** Every option that takes a value wherever it occurs, once: its name means a similar value everywhere. */
export function optionsWithValue(commands: readonly Command[]): readonly OptionSpec[] {
  const all = commands.flatMap(({ options }) => options);
  const isFlagSomewhere = (name: string): boolean => all.some((one) => one.name === name && one.value === undefined);
  const byName = new Map(all.map((option) => [option.name, option]));
  return [...byName.values()].filter(({ name }) => !isFlagSomewhere(name));
}

/** `--host|--port|…`: the word behind one of these is no word of the command. */
export function valueFlags(commands: readonly Command[], separator: string): string {
  return optionsWithValue(commands).flatMap(flagsOf).join(separator);
}

/** Single quotes, which all three shells read the same way but for the quote itself. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function* walk(grammar: Grammar, path: readonly string[]): Generator<Place> {
  const choices = grammar.operands?.[0]?.choices ?? [];
  yield { path, words: [...Object.keys(grammar.words ?? {}), ...choices] };
  for (const [word, next] of Object.entries(grammar.words ?? {})) yield* walk(next, [...path, word]);
}
