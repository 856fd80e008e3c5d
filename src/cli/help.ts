/** Help, written from the table of commands: what stands there is told, and nothing else. */
import { NAME, VERSION } from "../version.ts";
import type { Command, OptionSpec, Say } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import { COMMON } from "./options.ts";
import { displayWidth, padEnd } from "./terminal.ts";

type Pair = readonly [string, string];

const INDENT = "  ";

export function generalHelp(say: Say): string {
  const options: Pair[] = [...COMMON.map((option) => described(option, say)), ["--version", say("cli.option.version")]];
  return sections([
    `${NAME} ${VERSION}: ${say("cli.help.about")}`,
    say("cli.help.usage", { usage: "zaguan [COMMAND] [OPTIONS]" }),
    listed(
      say("cli.help.commands"),
      COMMANDS.map(({ name, summary }) => [name, say(summary)]),
    ),
    listed(say("cli.help.commonOptions"), options),
    say("cli.help.more", { command: "zaguan COMMAND --help" }),
  ]);
}

export function commandHelp(command: Command, say: Say): string {
  const [first = "", ...others] = command.usage.map((form) => `zaguan ${form}`);
  const usage = say("cli.help.usage", { usage: first });
  const margin = " ".repeat(displayWidth(usage) - displayWidth(first));
  return sections([
    say(command.summary),
    [usage, ...others.map((form) => margin + form)].join("\n"),
    command.about === undefined ? "" : say(command.about),
    listed(
      say("cli.help.options"),
      command.options.map((option) => described(option, say)),
    ),
    command.examples ? [say("cli.help.examples"), ...command.examples.map((line) => INDENT + line)].join("\n") : "",
  ]);
}

function described(option: OptionSpec, say: Say): Pair {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  const value = option.value === undefined ? "" : ` ${option.value}`;
  const notes = [option.many ? say("cli.help.many") : "", option.env ?? ""].filter((note) => note !== "");
  const summary = say(option.summary) + (notes.length > 0 ? ` [${notes.join("; ")}]` : "");
  return [`${short}--${option.name}${value}`, summary];
}

function listed(title: string, pairs: readonly Pair[]): string {
  const width = Math.max(...pairs.map(([left]) => displayWidth(left)));
  return [title, ...pairs.map(([left, right]) => `${INDENT}${padEnd(left, width)}  ${right}`)].join("\n");
}

function sections(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
