/**
 * Watches the configuration file while the hub runs: changed, created, or saved by rename. A broken file is refused and
 * a vanished one is told of; both leave the running configuration alone. Never throws.
 */
import { type FSWatcher, type Stats, stat, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { readConfigText } from "./config-file.ts";
import type { Environment } from "./load.ts";
import type { ZaguanConfig } from "./types.ts";

const DEBOUNCE_MS = 100;
const POLL_MS = 2000;
const GONE = "gone";

/**
 * What the file holds at the moment of this call counts as known and is not announced: start watching before, or right
 * after, the file is loaded.
 */
export function watchConfig(
  file: string,
  env: Environment,
  onChange: (config: ZaguanConfig) => void,
  onRefused: (reason: string) => void,
): { close(): void } {
  return new ConfigWatch(file, env, onChange, onRefused);
}

class ConfigWatch {
  readonly #file: string;
  readonly #env: Environment;
  readonly #onChange: (config: ZaguanConfig) => void;
  readonly #onRefused: (reason: string) => void;
  readonly #folderWatch: FSWatcher | undefined;
  readonly #poll: NodeJS.Timeout;
  #pending: NodeJS.Timeout | undefined;
  #closed = false;
  /** The content that the hub runs with. */
  #applied: string | undefined;
  /** What was refused last: a content, or the reason why there is none. */
  #refused: string | undefined;
  /** What the last poll saw of the file. */
  #fingerprint = "";

  constructor(
    file: string,
    env: Environment,
    onChange: (config: ZaguanConfig) => void,
    onRefused: (reason: string) => void,
  ) {
    this.#file = file;
    this.#env = env;
    this.#onChange = onChange;
    this.#onRefused = onRefused;
    this.#folderWatch = this.#watchFolder();
    this.#applied = this.#initialContent();
    this.#poll = setInterval(() => this.#look(), POLL_MS).unref();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#pending);
    this.#folderWatch?.close();
  }

  /** The folder, since a file saved by rename is another file. Where that is impossible the poll has to do. */
  #watchFolder(): FSWatcher | undefined {
    try {
      const name = basename(this.#file);
      const watcher = watch(dirname(this.#file), { persistent: false }, (_event, changed) => {
        if (changed === null || changed === name) this.#checkSoon();
      });
      return watcher.on("error", () => watcher.close());
    } catch {
      return undefined;
    }
  }

  #initialContent(): string | undefined {
    try {
      return readConfigText(this.#file);
    } catch {
      return undefined;
    }
  }

  /** The safety net: network folders, links and replaced folders raise no event. */
  #look(): void {
    stat(this.#file, (error, found) => {
      if (this.#closed) return;
      const fingerprint = error ? GONE : fingerprintOf(found);
      if (fingerprint === this.#fingerprint) return;
      this.#fingerprint = fingerprint;
      this.#checkSoon();
    });
  }

  #checkSoon(): void {
    if (this.#closed) return;
    clearTimeout(this.#pending);
    this.#pending = setTimeout(() => void this.#check(), DEBOUNCE_MS).unref();
  }

  async #check(): Promise<void> {
    let content: string | undefined;
    try {
      content = readConfigText(this.#file);
      if (content === undefined) this.#checkGone();
      else await this.#take(content);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.#refuse(content ?? reason, reason);
    }
  }

  async #take(content: string): Promise<void> {
    if (content === this.#refused) return;
    if (content !== this.#applied) {
      const { parseConfig } = await import("./load.ts");
      if (this.#closed) return;
      this.#onChange(parseConfig(content, this.#file, this.#env));
      this.#applied = content;
    }
    this.#refused = undefined;
  }

  /** Editors delete and write anew: a file is gone when the poll missed it too. */
  #checkGone(): void {
    if (this.#applied === undefined || this.#fingerprint !== GONE) return;
    const reason = `${basename(this.#file)}: is gone; the running configuration stays until it is back`;
    this.#refuse(reason, reason);
  }

  #refuse(what: string, reason: string): void {
    if (what === this.#refused) return;
    this.#refused = what;
    this.#onRefused(reason);
  }
}

function fingerprintOf(found: Stats): string {
  return `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
}
