/** Completion for zsh, with the summaries of commands and options. */
import type { Command, OptionSpec, Say } from "../command.ts";
import { flagsOf, optionsWithValue, places, quoted, takesFile, valueFlags } from "./shared.ts";

export function zshCompletion(commands: readonly Command[], say: Say): string {
  const names = commands.map(({ name, summary }) => described(name, say(summary)));
  return `#compdef zaguan
# zsh completion for zaguan
_zaguan() {
  local -a items
  local place="" word index
  for ((index = 2; index < CURRENT; index++)); do
    word="\${words[index]}"
    case "$word" in
      --) _normal; return ;;
      ${valueFlags(commands, "|")}) ((index++)) ;;
      -*) ;;
      *) place="$place $word" ;;
    esac
  done
  place="\${place# }"
  case "\${words[CURRENT-1]}" in
${optionsWithValue(commands).map(valueCase).join("\n")}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    case "\${place%% *}" in
${commands.map((command) => optionCase(command, say)).join("\n")}
    esac
    _describe -o 'option' items
    return
  fi
  case "$place" in
    '') items=( ${names.join(" ")} ); _describe 'command' items ;;
${commands.flatMap(wordCases).join("\n")}
  esac
}
if [[ "\${funcstack[1]}" == _zaguan ]]; then _zaguan "$@"; else compdef _zaguan zaguan; fi
`;
}

function valueCase(option: OptionSpec): string {
  const flags = flagsOf(option).join("|");
  if (option.choices) return `    ${flags}) compadd -- ${option.choices.map(quoted).join(" ")}; return ;;`;
  if (option.path === undefined) return `    ${flags}) return ;;`;
  return `    ${flags}) ${option.path === "file" ? "_files" : "_files -/"}; return ;;`;
}

function optionCase(command: Command, say: Say): string {
  const pattern = command.name === "serve" ? "''|serve" : command.name;
  const items = command.options.flatMap((option) =>
    flagsOf(option).map((flag) => described(flag, say(option.summary))),
  );
  const version = command.name === "serve" ? [described("--version", say("cli.option.version"))] : [];
  return `      ${pattern}) items=( ${[...items, ...version].join(" ")} ) ;;`;
}

function wordCases(command: Command): string[] {
  const cases = places(command).map(({ path, words }) => {
    return `    ${quoted(path.join(" "))}) compadd -- ${words.map(quoted).join(" ")} ;;`;
  });
  return takesFile(command) ? [...cases, `    ${quoted(command.name)}) _files ;;`] : cases;
}

/** `_describe` reads "name:text". */
function described(name: string, text: string): string {
  return quoted(`${name.replaceAll(":", "\\:")}:${text}`);
}
