/**
 * From the words of a command line to a checked CommandLine, by the command's row of the table. node:util cuts the words
 * apart; the checks are ours, because each refusal is one line in the user's language that says what to do.
 */
import { parseArgs } from "node:util";
import { nearest } from "../contract/rules.ts";
import type { Command, CommandLine, Grammar, OptionSpec } from "./command.ts";
import { UsageError } from "./failures.ts";

type Tokens = NonNullable<ReturnType<typeof parseArgs>["tokens"]>;
type OptionToken = Extract<Tokens[number], { kind: "option" }>;

export function parseCommandLine(command: Command, args: readonly string[]): CommandLine {
  const words = args.map((word) => withoutTolerated(command, word));
  const { values, positionals, tokens } = parseArgs({
    args: words,
    options: Object.fromEntries(command.options.map((option) => [option.name, nodeOption(option)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const end = tokens.find((token) => token.kind === "option-terminator")?.index;
  for (const token of tokens) if (token.kind === "option") checkOption(command, token, end !== undefined);
  const program = command.program && end !== undefined ? words.slice(end + 1) : undefined;
  const operands = positionals.slice(0, positionals.length - (program?.length ?? 0));
  checkOwners(command, values, operands[0]);
  if (command.wordless === undefined || values[command.wordless] !== true) checkGrammar(command, operands);
  else refuseMore(command, operands, 0);
  return { flags: values as CommandLine["flags"], operands, program };
}

/** The form of the command that these operands began. */
export function usageOf(command: Command, operands: readonly string[] = []): string {
  const begun = operands.map((_, index) => [command.name, ...operands.slice(0, index + 1)].join(" ")).reverse();
  const form = begun.map((start) => command.usage.find((usage) => `${usage} `.startsWith(`${start} `)));
  return `zaguan ${form.find((usage) => usage !== undefined) ?? command.usage[0] ?? command.name}`;
}

function nodeOption(option: OptionSpec): { type: "string" | "boolean"; multiple?: boolean; short?: string } {
  return {
    type: option.value === undefined ? "boolean" : "string",
    multiple: option.many ?? false,
    ...(option.short !== undefined && { short: option.short }),
  };
}

/** `--mcp=stdio` is what seed 000's program took as well. */
function withoutTolerated(command: Command, word: string): string {
  const tolerant = command.options.find(({ name, tolerates = [] }) =>
    tolerates.some((value) => word === `--${name}=${value}`),
  );
  return tolerant ? `--${tolerant.name}` : word;
}

function checkOption(command: Command, token: OptionToken, hasEnd: boolean): void {
  const option = command.options.find(({ name }) => name === token.name);
  if (!option) throw unknownOption(command, token.rawName, hasEnd);
  if (option.value === undefined) {
    if (token.value !== undefined) throw new UsageError("cli.usage.noValue", { option: token.rawName }, command.name);
  } else if (token.value === undefined || (!token.inlineValue && /^-./.test(token.value))) {
    throw new UsageError("cli.usage.missingValue", { option: token.rawName, value: option.value }, command.name);
  } else if (option.choices && !option.choices.some((choice) => isSameWord(choice, token.value))) {
    const params = { option: token.rawName, word: token.value, choices: option.choices.join(", ") };
    throw new UsageError("cli.usage.choice", params, command.name);
  }
}

function isSameWord(choice: string, word: string | undefined): boolean {
  return choice.toLowerCase() === word?.toLowerCase();
}

/** An option that would be silently without effect is refused. A word that is wrong itself is told first. */
function checkOwners(command: Command, values: object, word: string | undefined): void {
  if (word === undefined || !Object.hasOwn(command.words ?? {}, word)) return;
  const idle = command.options.find((one) => Object.hasOwn(values, one.name) && one.with && !one.with.includes(word));
  if (!idle) return;
  const params = { option: `--${idle.name}`, word: idle.with?.join(", ") ?? "" };
  throw new UsageError("cli.usage.optionOfOther", params, command.name);
}

function unknownOption(command: Command, option: string, hasEnd: boolean): UsageError {
  if (command.program && !hasEnd) {
    return new UsageError("cli.usage.programOption", { option, usage: usageOf(command) }, command.name);
  }
  const known = command.options.map(({ name }) => `--${name}`);
  const guess = option.length > 2 ? nearest(option, known) : undefined;
  if (guess !== undefined) return new UsageError("cli.usage.unknownOptionNear", { option, guess }, command.name);
  return new UsageError("cli.usage.unknownOption", { option, help: `zaguan ${command.name} --help` }, command.name);
}

function checkGrammar(command: Command, operands: readonly string[]): void {
  let grammar: Grammar = command;
  let depth = 0;
  while (grammar.words) {
    grammar = followWord(command, grammar.words, operands[depth]);
    depth++;
  }
  checkOperands(command, grammar, operands, depth);
}

function followWord(command: Command, words: Readonly<Record<string, Grammar>>, word: string | undefined): Grammar {
  const choices = Object.keys(words).join(", ");
  if (word === undefined) throw new UsageError("cli.usage.missingWord", { choices }, command.name);
  if (Object.hasOwn(words, word)) return words[word] as Grammar;
  throw wrongWord(command, word, Object.keys(words));
}

function checkOperands(command: Command, grammar: Grammar, operands: readonly string[], from: number): void {
  const usage = usageOf(command, operands);
  let at = from;
  for (const { name, optional, many, choices } of grammar.operands ?? []) {
    const word = operands[at];
    if (word === undefined && !optional) throw new UsageError("cli.usage.missing", { name, usage }, command.name);
    if (word !== undefined && choices && !choices.includes(word)) throw wrongWord(command, word, choices);
    at = many ? operands.length : at + 1;
  }
  refuseMore(command, operands, at);
}

function wrongWord(command: Command, word: string, choices: readonly string[]): UsageError {
  const guess = nearest(word, choices);
  if (guess !== undefined) return new UsageError("cli.usage.unknownWordNear", { word, guess }, command.name);
  return new UsageError("cli.usage.unknownWord", { word, choices: choices.join(", ") }, command.name);
}

function refuseMore(command: Command, operands: readonly string[], from: number): void {
  const word = operands[from];
  if (word === undefined) return;
  throw new UsageError("cli.usage.tooMany", { word, usage: usageOf(command, operands) }, command.name);
}
