/** One loading of one module of tools, from its import to the end of its manager, and the tools that it added. */
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkTool } from "./check.ts";
import { messageOf, type Place, placeInStack, placeOfSyntaxError, placeOfText } from "./place.ts";
import { type Print, printOf } from "./print.ts";
import { enrol, type Loading, loadingOf, numbered } from "./registrar.ts";
import type { AddTool, AnyUserTool, HandlerContext, Manager } from "./tool.ts";
import { type Owner, outside, signalWithin, within } from "./unhandled-errors.ts";

export interface AddedTool {
  readonly tool: AnyUserTool;
  readonly place: Place;
}

export interface Failure extends Place {
  readonly message: string;
}

interface LoadListener {
  /** A tool was added after the loading was over. */
  onLateTool(): void;
  onUnhandledError(failure: Failure): void;
}

let last = 0;

export class ModuleLoad implements Loading, Owner {
  readonly number: number = ++last;
  readonly path: string;
  readonly added: AddedTool[] = [];
  /** All that it read, as it was then; also what it wanted to read and was not there. */
  readonly files: Map<string, Print> = new Map();
  readonly #listener: LoadListener;
  #missing: Place | undefined;
  #isOver = false;

  constructor(path: string, listener: LoadListener) {
    this.path = path;
    this.#listener = listener;
    this.onFile(path);
    enrol(this);
  }

  /** Rejects with whatever the module throws. */
  async run(): Promise<void> {
    await within(this, async () => {
      const { default: manager } = (await import(numbered(pathToFileURL(this.path).href, this))) as {
        default?: unknown;
      };
      if (manager === undefined) return;
      if (typeof manager !== "function")
        throw new TypeError("the default export must be a function that takes addTool");
      await (manager as Manager)(this.addTool);
    });
    this.#isOver = true;
  }

  readonly addTool: AddTool = (tool) => {
    checkTool(tool);
    const place = placeInStack(new Error("here").stack, this.number) ?? { file: this.path };
    this.added.push({ tool: this.#toolOf(tool), place });
    if (this.#isOver) outside(() => this.#listener.onLateTool());
  };

  onFile(path: string): void {
    if (!this.files.has(path)) this.files.set(path, printOf(path));
  }

  onMissing(specifier: string, importer: string): void {
    // We ourselves, who import the module.
    if (loadingOf(importer) !== this) return;
    const file = fileURLToPath(importer);
    this.#missing = placeOfText(file, specifier);
    // It may come yet.
    if (specifier.startsWith(".")) this.onFile(resolve(dirname(file), specifier));
  }

  onUnhandledError(error: unknown): void {
    this.#listener.onUnhandledError(this.failure(error));
  }

  /** What was thrown, with the line that is to blame as far as it can be found. */
  failure(error: unknown): Failure {
    const isGone = isNotFound(error) && !this.#missing;
    return { ...this.#placeOf(error), message: isGone ? "there is no such file" : messageOf(error) };
  }

  /** Whatever its handler lets go of is this module's. */
  #toolOf(tool: AnyUserTool): AnyUserTool {
    const { name, description, descriptions, properties, readOnly } = tool;
    const handler: AnyUserTool["handler"] = (args, context) =>
      within(this, () => tool.handler(args, this.#asOurs(context)));
    return { name, description, descriptions, properties, readOnly, handler };
  }

  /** A signal is made for those who ask for it. */
  #asOurs(context: HandlerContext): HandlerContext {
    let signal: AbortSignal | undefined;
    const make = (): AbortSignal => signalWithin(this, context.signal);
    return {
      language: context.language,
      get signal() {
        signal ??= make();
        return signal;
      },
    };
  }

  #placeOf(error: unknown): Place {
    if (!(error instanceof Error)) return { file: this.path };
    const place = placeInStack(error.stack, this.number);
    if (place) return place;
    if (isNotFound(error) && this.#missing) return this.#missing;
    return error instanceof SyntaxError ? this.#placeOfSyntaxError() : { file: this.path };
  }

  /** Which of the files it was is not told either: the first that is no JavaScript. */
  #placeOfSyntaxError(): Place {
    const scripts = [...this.files.keys()].filter((file) => /\.m?js$/.test(file));
    return scripts.map(placeOfSyntaxError).find(({ line }) => line !== undefined) ?? { file: this.path };
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}
