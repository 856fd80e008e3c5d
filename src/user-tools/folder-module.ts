/** One file of a folder of tools, through all its versions: the newest that was begun and the last that succeeded. */
import { whatBecameOf } from "./folder-watch.ts";
import { type AddedTool, type Failure, ModuleLoad } from "./load.ts";

interface ModuleListener {
  /** The tools that it offers are others now. */
  onChange(): void;
  /** It has read all that it is going to read at once. */
  onRead(): void;
  onFailure(failure: Failure): void;
}

export class FolderModule {
  readonly #path: string;
  readonly #loadMs: number;
  readonly #listener: ModuleListener;
  /** What it read decides whether to begin another. */
  #newest: ModuleLoad | undefined;
  /** Its tools are offered. */
  #good: ModuleLoad | undefined;
  #failure: Failure | undefined;
  #stopWaiting: () => void = () => {};
  #isGone = false;

  constructor(path: string, loadMs: number, listener: ModuleListener) {
    this.#path = path;
    this.#loadMs = loadMs;
    this.#listener = listener;
  }

  get added(): readonly AddedTool[] {
    return this.#good?.added ?? [];
  }

  /** Of the newest version. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  get files(): readonly string[] {
    return [...(this.#newest?.files.keys() ?? [])];
  }

  /** Whether anything that it read is another now. A file that is not there for a moment is just being saved. */
  async isStale(): Promise<boolean> {
    for (const [path, print] of this.#newest?.files ?? []) {
      const became = await whatBecameOf(path, print);
      if (became === "changed" || (became === "gone" && path !== this.#path)) return true;
    }
    return false;
  }

  /** Never rejects; settles when the module has, or when it has been waited for long enough. */
  async load(): Promise<void> {
    const load: ModuleLoad = new ModuleLoad(this.#path, {
      onLateTool: () => this.#good === load && this.#changed(),
      onUnhandledError: (failure) => this.#listener.onFailure(besides(failure, "nothing in the module catches this")),
    });
    this.#newest = load;
    const enough = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.#isLate(load), this.#loadMs);
    this.#stopWaiting();
    this.#stopWaiting = () => {
      clearTimeout(timer);
      enough.resolve();
    };
    await Promise.race([this.#outcomeOf(load), enough.promise]);
    clearTimeout(timer);
  }

  /** The file is gone, or the folder closed. Code that was loaded stays in the process; nobody is offered it. */
  close(): void {
    this.#isGone = true;
    this.#stopWaiting();
  }

  async #outcomeOf(load: ModuleLoad): Promise<void> {
    try {
      await load.run();
      this.#succeeded(load);
    } catch (error) {
      this.#failed(load, load.failure(error));
    }
    if (!this.#isGone) this.#listener.onRead();
  }

  #succeeded(load: ModuleLoad): void {
    if (this.#newest !== load) return;
    this.#good = load;
    this.#failure = undefined;
    this.#changed();
  }

  #failed(load: ModuleLoad, failure: Failure): void {
    if (this.#newest !== load || this.#isGone) return;
    this.#failure = this.#good ? besides(failure, "the tools it had stay") : failure;
    this.#listener.onFailure(this.#failure);
  }

  /** It may still come, and is welcome then. */
  #isLate(load: ModuleLoad): void {
    this.#failed(load, { file: this.#path, message: `did not finish loading within ${this.#loadMs / 1_000} s` });
    this.#stopWaiting();
  }

  #changed(): void {
    if (!this.#isGone) this.#listener.onChange();
  }
}

function besides(failure: Failure, remark: string): Failure {
  return { ...failure, message: `${failure.message} (${remark})` };
}
