/** Lines to copy into a terminal or into `zaguan.json`, for what the hub does not do on behalf of a page. */
import type { GivenServer } from "../../../contract/server.ts";

/** Adds the server to the configuration file, which whoever has a shell on the hub's machine may do. */
export function addLine({ name, baseUrl, command, args = [], env = {}, headers = {} }: GivenServer): string {
  const words =
    command === undefined
      ? [
          baseUrl ?? "",
          "--allow-private",
          ...Object.entries(headers).flatMap(([key, value]) => ["--header", `${key}: ${value}`]),
        ]
      : [...Object.entries(env).flatMap(([key, value]) => ["--env", `${key}=${value}`]), "--", command, ...args];
  return ["zaguan", "add", name, ...words].map(quoted).join(" ");
}

export function allowLine(commands: readonly string[]): string {
  return `"auth": { "allowedCommands": ${JSON.stringify([...new Set(commands)]).replaceAll('","', '", "')} }`;
}

/** By these a program is made to run another before itself: the hub refuses them even where the program is allowed. */
const LOADERS = /^(?:LD_|DYLD_|NODE_OPTIONS$|BASH_ENV$|ENV$|PYTHONSTARTUP$|PYTHONPATH$|PERL5OPT$|RUBYOPT$)/i;

export function loadersIn(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(env).filter((name) => LOADERS.test(name));
}

/** For a shell of this world. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
