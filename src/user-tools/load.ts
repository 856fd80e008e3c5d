/** One loading of one module of tools, from its import to the end of its manager, and the tools that it added. */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkTool } from "./check.ts";
import { type Print, printOf } from "./folder-watch.ts";
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

/** Where in a module something went wrong, as its author wants to read it. */
interface Place {
  /** Absolute. */
  readonly file: string;
  readonly line?: number | undefined;
}

/** The first place in a stack that is in what this loading read. */
function placeInStack(stack: unknown, number: number): Place | undefined {
  if (typeof stack !== "string") return undefined;
  const [, url, line] = new RegExp(`(file://[^\\s?]+)\\?tools=${number}:(\\d+)`).exec(stack) ?? [];
  return url === undefined ? undefined : { file: fileURLToPath(url), line: Number(line) };
}

/** The line that names something, for failures that only tell its name. */
function placeOfText(file: string, text: string): Place {
  const index = read(file)
    .split("\n")
    .findIndex((line) => line.includes(`"${text}"`) || line.includes(`'${text}'`));
  return index < 0 ? { file } : { file, line: index + 1 };
}

/** V8 keeps to itself where JavaScript is no JavaScript; the parser for TypeScript tells. */
function placeOfSyntaxError(file: string): Place {
  const found = parseFailure(read(file));
  const [, line] = /^[^\n]*:(\d+)\n/.exec(found) ?? [];
  return line === undefined ? { file } : { file, line: Number(line) };
}

function parseFailure(source: string): string {
  const { emitWarning } = process;
  // It announces itself as an experiment, to people who did not ask for one.
  process.emitWarning = () => {};
  try {
    stripTypeScriptTypes(source, { sourceUrl: "file:///module" });
    return "";
  } catch (error) {
    return error instanceof Error ? String(error.stack) : "";
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Without the numbers that only we put there. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll(/\?tools=\d+/g, "");
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
