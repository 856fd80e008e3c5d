/**
 * One `.desktop` file as the Desktop Entry Specification has it, as far as starting a program needs it: names, and the
 * command line taken apart into words. Nothing of it ever meets a shell.
 */

export interface Application {
  /** Its file's name without the extension; folders become dashes. */
  readonly id: string;
  readonly name: string;
  /** By locale: "zh_CN", "es". */
  readonly names: Readonly<Record<string, string>>;
  readonly command: string;
  readonly args: readonly string[];
  readonly folder?: string | undefined;
}

/** Undefined for what is no application to start from here, which also hides one of the same id further down. */
export function readDesktopEntry(id: string, text: string): Application | undefined {
  const entry = mainGroup(text);
  const { Type: type, Exec: exec, Name: name } = entry;
  const isHidden = entry["Hidden"] === "true" || entry["NoDisplay"] === "true";
  // Without a terminal it would run unseen.
  if (type !== "Application" || !exec || !name || isHidden || entry["Terminal"] === "true") return undefined;
  const [command, ...args] = splitExec(unescapeValue(exec), unescapeValue(name)) ?? [];
  if (!command) return undefined;
  return { id, name: unescapeValue(name), names: namesIn(entry), command, args, folder: entry["Path"] || undefined };
}

function mainGroup(text: string): Record<string, string> {
  const entry: Record<string, string> = Object.create(null);
  let inside = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("[")) inside = line.trim() === "[Desktop Entry]";
    const [, key, value] = (inside && /^([A-Za-z0-9-]+(?:\[[^\]]+\])?)\s*=\s*(.*)$/.exec(line)) || [];
    if (key !== undefined) entry[key] ??= (value ?? "").trimEnd();
  }
  return entry;
}

function namesIn(entry: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.entries(entry).flatMap(([key, value]) => {
    const locale = /^Name\[([^\]@.]+)/.exec(key)?.[1];
    return locale ? [[locale, unescapeValue(value)] as const] : [];
  });
  return Object.fromEntries(names);
}

function unescapeValue(value: string): string {
  const known: Readonly<Record<string, string>> = { s: " ", n: "\n", t: "\t", r: "\r", "\\": "\\" };
  return value.replace(/\\(.)/g, (whole, char: string) => known[char] ?? whole);
}

/** Undefined if its quotes do not close. */
export function splitExec(exec: string, name: string): string[] | undefined {
  const words: string[] = [];
  let rest = exec.trim();
  while (rest !== "") {
    const [whole, quoted, plain] = /^(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))\s*/.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    rest = rest.slice(whole.length);
    if (quoted !== undefined) words.push(quoted.replace(/\\(["`$\\])/g, "$1"));
    else words.push(...expand(plain ?? "", name));
  }
  return words;
}

/** Field codes stand for files, addresses and icons, of which there are none here. */
function expand(word: string, name: string): string[] {
  if (/^%[a-zA-Z]$/.test(word) && word !== "%c") return [];
  return [word.replace(/%(.)/g, (_whole, code: string) => (code === "%" ? "%" : code === "c" ? name : ""))];
}
