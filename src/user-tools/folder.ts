/**
 * A folder of modules that add tools, read at the start and whenever a file changes. Every module stands for itself: one
 * that is broken is reported, its last good tools stay while its author mends it, and the others go on.
 */
import { readdir } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { FolderModule } from "./folder-module.ts";
import { FolderWatch } from "./folder-watch.ts";
import { installHooks } from "./hooks.ts";
import type { AddedTool, Failure } from "./load.ts";
import type { AnyUserTool } from "./tool.ts";
import type { UserTools } from "./tools.ts";
import { catchUnhandledErrors } from "./unhandled-errors.ts";

/** A module that awaits something for ever must not keep the hub from starting. */
const LOAD_MS = 10_000;
const MODULE = /^[^.].*\.m?[jt]s$/;
const NO_MODULE = /\.(?:d|test|spec)\.m?[jt]s$/;

export interface ModuleReport {
  readonly severity: "error" | "warning";
  /** Relative to the folder; "" for the folder itself. */
  readonly file: string;
  readonly line?: number | undefined;
  readonly message: string;
}

interface ToolsFolderOptions {
  readonly folder: string;
  onReport(report: ModuleReport): void;
  /** @default 10 seconds */
  readonly loadMs?: number | undefined;
}

export class ToolsFolder implements UserTools {
  readonly ready: Promise<void>;
  readonly #folder: string;
  readonly #options: ToolsFolderOptions;
  readonly #watch: FolderWatch;
  /** By the name of the file. */
  readonly #modules = new Map<string, FolderModule>();
  readonly #listeners = new Set<() => void>();
  #list: readonly AnyUserTool[] = [];
  /** Tools that are not offered because another has their name; each is told once. */
  #ignored: ReadonlySet<string> = new Set();
  #problem: string | undefined;
  #turn: Promise<unknown>;
  #isWaiting = false;
  #isClosed = false;

  constructor(options: ToolsFolderOptions) {
    this.#folder = resolve(options.folder);
    this.#options = options;
    installHooks();
    catchUnhandledErrors();
    this.#watch = new FolderWatch(() => this.#lookInTurn());
    const first = this.#look();
    this.#turn = first;
    this.ready = first.then((loads) => Promise.all(loads)).then(() => {});
  }

  list(): readonly AnyUserTool[] {
    return this.#list;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is wrong now: with the folder, and with each file in the order of their names. */
  problems(): readonly ModuleReport[] {
    const failures = this.#inOrder().flatMap(({ failure }) => failure ?? []);
    const ofModules = failures.map((failure) => this.#reportOf(failure, "error", failure.message));
    return this.#problem === undefined ? ofModules : [ofFolder(this.#problem), ...ofModules];
  }

  /** Stops watching. What was loaded stays in the process. */
  close(): void {
    this.#isClosed = true;
    this.#watch.close();
    this.#listeners.clear();
    for (const module of this.#modules.values()) module.close();
  }

  /** One look at a time. One that has not begun yet will see all that has happened until then. */
  #lookInTurn(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#turn = this.#turn.then(() => {
      this.#isWaiting = false;
      return this.#look();
    });
  }

  /** Resolves with the loads that it began, without waiting for them. */
  async #look(): Promise<readonly Promise<void>[]> {
    // Before reading, so that nothing is missed between the two.
    this.#follow();
    const names = await this.#moduleNames();
    this.#forgetOthers(new Set(names));
    const loads: Promise<void>[] = [];
    for (const name of names) {
      const known = this.#modules.get(name);
      if (known && !(await known.isStale())) continue;
      if (!this.#isClosed) loads.push((known ?? this.#discover(name)).load());
    }
    return loads;
  }

  async #moduleNames(): Promise<readonly string[]> {
    try {
      const found = await readdir(this.#folder, { withFileTypes: true });
      this.#problem = undefined;
      return found.filter((entry) => !entry.isDirectory() && isModule(entry.name)).map(({ name }) => name);
    } catch (cause) {
      this.#tellOfFolder((cause as NodeJS.ErrnoException).code);
      return [];
    }
  }

  #tellOfFolder(code: string | undefined): void {
    const what = code === "ENOENT" ? "is not there; its tools come when it does" : `cannot be read (${code})`;
    const problem = `the folder of tools ${this.#folder} ${what}`;
    if (this.#problem === problem || this.#isClosed) return;
    this.#problem = problem;
    this.#options.onReport(ofFolder(problem));
  }

  #discover(name: string): FolderModule {
    const module = new FolderModule(join(this.#folder, name), this.#options.loadMs ?? LOAD_MS, {
      onChange: () => this.#changed(),
      onRead: () => this.#follow(),
      onFailure: (failure) => this.#report(failure, "error", failure.message),
    });
    this.#modules.set(name, module);
    return module;
  }

  #forgetOthers(names: ReadonlySet<string>): void {
    const gone = [...this.#modules].filter(([name]) => !names.has(name));
    for (const [name, module] of gone) {
      module.close();
      this.#modules.delete(name);
    }
    if (gone.length > 0) this.#changed();
  }

  #follow(): void {
    const files = [...this.#modules.values()].flatMap((module) => module.files);
    this.#watch.follow(new Set([this.#folder, ...files.map(dirname)]));
  }

  #changed(): void {
    this.#gather();
    for (const listener of this.#listeners) listener();
  }

  /** Of one name the first is kept, as devices of this kind do. */
  #gather(): void {
    const keepers = new Map<string, AddedTool>();
    const ignored = new Set<string>();
    for (const added of this.#inOrder().flatMap((module) => module.added)) {
      const keeper = keepers.get(added.tool.name);
      if (keeper) ignored.add(this.#ignore(added, keeper));
      else keepers.set(added.tool.name, added);
    }
    this.#ignored = ignored;
    this.#list = [...keepers.values()].map(({ tool }) => tool);
  }

  #ignore({ tool, place }: AddedTool, keeper: AddedTool): string {
    const message = `the tool "${tool.name}" is ignored: ${this.#inFolder(keeper.place.file)} has one of this name`;
    const key = `${place.file} ${message}`;
    if (!this.#ignored.has(key)) this.#report(place, "warning", message);
    return key;
  }

  #report(place: Omit<Failure, "message">, severity: ModuleReport["severity"], message: string): void {
    if (!this.#isClosed) this.#options.onReport(this.#reportOf(place, severity, message));
  }

  #reportOf({ file, line }: Omit<Failure, "message">, severity: ModuleReport["severity"], message: string) {
    return { severity, file: this.#inFolder(file), line, message };
  }

  #inFolder(path: string): string {
    return relative(this.#folder, path).replaceAll("\\", "/");
  }

  #inOrder(): readonly FolderModule[] {
    return [...this.#modules].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, module]) => module);
  }
}

/** "dice.ts:3: the reason", as people and editors find it. */
export function sayReport({ file, line, message }: ModuleReport): string {
  if (file === "") return message;
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}

function ofFolder(message: string): ModuleReport {
  return { severity: "error", file: "", message };
}

function isModule(name: string): boolean {
  return MODULE.test(name) && !NO_MODULE.test(name);
}
