/** Learning a code, from the first word to the saved file, and what became of the last time. */
import type { CancelSignal } from "../../light-abort.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { CodeChange } from "./code-files.ts";
import type { CodeFolder } from "./code-folder.ts";
import { failureText, InfraredFailure } from "./failure.ts";
import { durationsOf } from "./frame.ts";
import { learnCode } from "./module.ts";
import type { ModuleUser } from "./module-port.ts";

export interface LearnRequest {
  /** Without it the code is named after the time. */
  readonly name?: string | undefined;
  readonly change: CodeChange;
}

interface Learned {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

export class Learning {
  readonly #module: ModuleUser;
  readonly #folder: CodeFolder;
  readonly #log: (line: string) => void;
  #status: "idle" | "learning" | "success" | "error" = "idle";
  #learned: Learned | undefined;
  #failure: unknown;
  /** Seconds since 1970. */
  #since = 0;
  #over: Promise<unknown> = Promise.resolve();

  constructor(module: ModuleUser, folder: CodeFolder, log: (line: string) => void) {
    this.#module = module;
    this.#folder = folder;
    this.#log = log;
  }

  get isUnderWay(): boolean {
    return this.#status === "learning";
  }

  /** Rejects if it cannot even begin: a name that leads elsewhere, a folder that cannot be. */
  async prepare({ name }: LearnRequest): Promise<void> {
    await this.#folder.prepare(name);
  }

  async learn(request: LearnRequest, signal: CancelSignal): Promise<Learned> {
    if (this.isUnderWay) throw new InfraredFailure("infrared.alreadyLearning");
    this.#enter("learning");
    const learned = this.#learnAndSave(request, signal);
    this.#over = learned.catch(() => {});
    return await learned;
  }

  /** Resolves when what was under way is saved, or has failed. */
  async settled(): Promise<void> {
    await this.#over;
  }

  /** As the Python original tells it. */
  result(language: Language): Readonly<Record<string, unknown>> {
    const failure = this.#failure === undefined ? null : failureText(this.#failure, language);
    return {
      status: this.#status,
      result: this.#learned?.path ?? failure,
      timestamp: this.#since,
      name: this.#learned?.name ?? null,
    };
  }

  async #learnAndSave(request: LearnRequest, signal: CancelSignal): Promise<Learned> {
    try {
      const code = await this.#module.learn(signal, learnCode);
      const learned = { ...(await this.#folder.save(request.name, code, request.change)), bytes: code.length };
      this.#log(`learned ${learned.name}: ${code.length} bytes, ${durationsOf(code)?.length ?? "no"} durations`);
      this.#enter("success", learned);
      return learned;
    } catch (error) {
      this.#enter("error", undefined, error);
      throw error;
    }
  }

  #enter(status: "learning" | "success" | "error", learned?: Learned, failure?: unknown): void {
    this.#status = status;
    this.#learned = learned;
    this.#failure = failure;
    this.#since = Date.now() / 1000;
  }
}
