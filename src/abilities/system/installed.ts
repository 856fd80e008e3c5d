/** The applications installed on this machine: the `.desktop` files of the XDG data folders, the user's own first. */
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join, relative, sep } from "node:path";
import type { Clock } from "../../core/ports.ts";
import type { Language } from "../../messages/catalogue.ts";

const MOST_FILES = 5000;
const MOST_BYTES = 262_144;
const DEPTH = 3;
/** Installing something and asking for it at once is rare; then there is `force_refresh`. */
const FRESH_MS = 60_000;

/** Their process runs somebody else's program, and its name is that of many. */
const RUNS_OTHERS =
  /^(?:env|sh|bash|dash|zsh|fish|flatpak|snap|bwrap|java|node|perl|ruby|mono|wine\d*|python[\d.]*|electron\d*|sudo|pkexec|gtk-launch|xdg-open|dbus-.*|systemd-run)$/;

export class Installed {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #clock: Clock;
  #known: Promise<readonly Application[]> | undefined;
  #readAt = 0;

  constructor(env: Readonly<Record<string, string | undefined>>, clock: Clock) {
    this.#env = env;
    this.#clock = clock;
  }

  list(refresh = false): Promise<readonly Application[]> {
    const now = this.#clock.now();
    if (refresh || !this.#known || now - this.#readAt > FRESH_MS) {
      this.#known = scan(dataFolders(this.#env));
      this.#readAt = now;
    }
    return this.#known;
  }
}

/** What people call it: one exactly, or else all of whose names it is a part. */
export function findApplications(all: readonly Application[], wanted: string): readonly Application[] {
  const exact = applicationCalled(all, wanted);
  if (exact) return [exact];
  const name = fold(wanted);
  return name === "" ? [] : all.filter((application) => callNames(application).some((known) => known.includes(name)));
}

export function applicationCalled(all: readonly Application[], wanted: string): Application | undefined {
  return all.find((application) => callNames(application).includes(fold(wanted)));
}

export function displayName({ name, names }: Application, language: Language): string {
  const locale = Object.keys(names).find((key) => key === language || key === `${language}_CN`);
  const other = Object.keys(names).find((key) => key.startsWith(`${language}_`));
  return names[locale ?? other ?? ""] ?? name;
}

/** The name of its process, in lower case, where that is its own. */
export function programNames({ command }: Application): string[] {
  const name = basename(command).toLowerCase();
  return RUNS_OTHERS.test(name) ? [] : [name];
}

function dataFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  const home = env["HOME"] || homedir();
  const own = env["XDG_DATA_HOME"] || join(home, ".local/share");
  const shared = (env["XDG_DATA_DIRS"] || "/usr/local/share:/usr/share").split(":").filter((folder) => folder !== "");
  // A session lists these two itself; a service has no session.
  const packaged = [join(own, "flatpak/exports/share"), "/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop"];
  return [...new Set([own, ...shared, ...(env["XDG_DATA_DIRS"] ? [] : packaged)])];
}

async function scan(folders: readonly string[]): Promise<readonly Application[]> {
  const byId = new Map<string, Application | undefined>();
  for (const folder of folders) {
    const root = join(folder, "applications");
    for (const file of await desktopFiles(root, DEPTH)) {
      const id = relative(root, file).slice(0, -".desktop".length).split(sep).join("-");
      if (!byId.has(id) && byId.size < MOST_FILES) byId.set(id, readDesktopEntry(id, await readSmall(file)));
    }
  }
  return [...byId.values()].filter((entry) => entry !== undefined).sort((a, b) => a.name.localeCompare(b.name));
}

async function desktopFiles(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) found.push(...(await desktopFiles(path, depth - 1)));
    else if (!entry.isDirectory() && entry.name.endsWith(".desktop")) found.push(path);
  }
  return found.slice(0, MOST_FILES);
}

async function readSmall(path: string): Promise<string> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  return size > MOST_BYTES ? "" : await readFile(path, "utf8").catch(() => "");
}

function callNames(application: Application): string[] {
  const { id, name, names } = application;
  const last = id.split(".").at(-1) ?? id;
  return [...[name, ...Object.values(names), id, last].map(fold), ...programNames(application)];
}

function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/**
 * One application, out of its `.desktop` file as the Desktop Entry Specification has it: its names, and the command
 * line taken apart into words. Nothing of it ever meets a shell.
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
