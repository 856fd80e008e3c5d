/** Completion for bash, from version 3.2 on (the one of macOS). */
import type { Command, OptionSpec, Say } from "../command.ts";
import { flagsOf, optionsWithValue, places, quoted, takesFile, valueFlags } from "./shared.ts";

export function bashCompletion(commands: readonly Command[], _say: Say): string {
  const names = commands.map(({ name }) => name).join(" ");
  return `# bash completion for zaguan
_zaguan() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" word index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$word" in
      --) return ;;
      ${valueFlags(commands, "|")}) ((index++)) ;;
      -*) ;;
      *) path="$path $word" ;;
    esac
  done
  path="\${path# }"
  case "$previous" in
${optionsWithValue(commands).map(valueCase).join("\n")}
  esac
  if [[ "$current" == -* ]]; then
    case "\${path%% *}" in
${commands.map(optionCase).join("\n")}
    esac
    return
  fi
  case "$path" in
    '') COMPREPLY=( $(compgen -W ${quoted(names)} -- "$current") ) ;;
${commands.flatMap(wordCases).join("\n")}
  esac
}
complete -F _zaguan zaguan
`;
}

function valueCase(option: OptionSpec): string {
  const flags = flagsOf(option).join("|");
  if (option.choices) return `    ${flags}) ${reply(`-W ${quoted(option.choices.join(" "))}`)}; return ;;`;
  if (option.path === undefined) return `    ${flags}) return ;;`;
  return `    ${flags}) ${reply(option.path === "file" ? "-f" : "-d")}; return ;;`;
}

/** Before any command, the options of `serve` are meant. */
function optionCase(command: Command): string {
  const pattern = command.name === "serve" ? "''|serve" : command.name;
  const flags = [...command.options.flatMap(flagsOf), ...(command.name === "serve" ? ["--version"] : [])];
  return `      ${pattern}) ${reply(`-W ${quoted(flags.join(" "))}`)} ;;`;
}

function wordCases(command: Command): string[] {
  const cases = places(command).map(({ path, words }) => {
    return `    ${quoted(path.join(" "))}) ${reply(`-W ${quoted(words.join(" "))}`)} ;;`;
  });
  return takesFile(command) ? [...cases, `    ${quoted(command.name)}) ${reply("-f")} ;;`] : cases;
}

function reply(what: string): string {
  return `COMPREPLY=( $(compgen ${what} -- "$current") )`;
}
