/** Completion for fish, with the summaries of commands and options. */
import type { Command, OptionSpec, Say } from "../command.ts";
import { places, takesFile, valueFlags } from "./shared.ts";

export function fishCompletion(commands: readonly Command[], say: Say): string {
  return `# fish completion for zaguan
function __zaguan_path
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip -eq 1
      set skip 0
    else if contains -- $word ${valueFlags(commands, " ")}
      set skip 1
    else if not string match -q -- '-*' $word
      echo $word
    end
  end
end
function __zaguan_at
  test (string join ' ' -- (__zaguan_path)) = "$argv"
end
function __zaguan_in
  set -l path (__zaguan_path)
  test "$path[1]" = "$argv"
end
complete -c zaguan -f
complete -c zaguan -n '__zaguan_at' -l version -d ${quoted(say("cli.option.version"))}
${commands.flatMap((command) => lines(command, say)).join("\n")}
`;
}

function lines(command: Command, say: Say): string[] {
  const { name } = command;
  return [
    `complete -c zaguan -n '__zaguan_at' -a ${quoted(name)} -d ${quoted(say(command.summary))}`,
    ...places(command).map(
      ({ path, words }) =>
        `complete -c zaguan -n ${quoted(`__zaguan_at ${path.join(" ")}`)} -a ${quoted(words.join(" "))}`,
    ),
    ...(takesFile(command) ? [`complete -c zaguan -n '__zaguan_in ${name}' -F`] : []),
    ...command.options.map((option) => optionLine(name, option, say)),
  ];
}

function optionLine(command: string, option: OptionSpec, say: Say): string {
  const short = option.short === undefined ? "" : ` -s ${option.short}`;
  return `complete -c zaguan -n '__zaguan_in ${command}' -l ${option.name}${short}${value(option)} -d ${quoted(say(option.summary))}`;
}

function value(option: OptionSpec): string {
  if (option.value === undefined) return "";
  if (option.choices) return ` -x -a ${quoted(option.choices.join(" "))}`;
  return option.path === undefined ? " -x" : " -r -F";
}

/** In single quotes fish gives the backslash a meaning of its own. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
