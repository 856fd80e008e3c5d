/**
 * The door of seed 000: a client sends `call` and `quit`, one JSON object per line, and gets `ready`, `result` and
 * `error`. It never ends because of what a client sends, save `quit`: unlike the original, which stops at JSON that is no
 * object. Reading and writing the pipe is its owner's business.
 */
import type { Principal } from "../core/call.ts";
import type { Gateway, ListedTool } from "../core/gateway.ts";
import { toZaguanError, ZaguanError } from "../errors.ts";
import { type Language, say, sayError, sayType } from "../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../protocol/json/payload.ts";
import { type Member, memberOf, type ScanLimits, scanJson } from "../protocol/json/scan.ts";
import { encodeError, encodeReady, encodeResult, type LineTool } from "../protocol/line-json/codec.ts";

interface LineDoorOptions {
  readonly gateway: Gateway;
  readonly principal: Principal;
  readonly language: Language;
  /** What `ready` announces. */
  readonly version: string;
  /** For every line that comes in. */
  readonly limits: ScanLimits;
  /**
   * Runs and answers one line after the other, as the original does: for clients that pipe in many lines and read the
   * answers in that order. @default false
   */
  readonly oneAtATime?: boolean | undefined;
  /** Takes one line without its end; must not throw. */
  write(line: string): void;
}

export function serveLines(options: LineDoorOptions): LineDoor {
  return new LineDoor(options);
}

/** For answers of sources, which have been checked when they came in. */
const ANSWER_LIMITS: ScanLimits = { depth: 512, elements: 10_000_000 };
/** How much of a client's own text is repeated to it. */
const SHOWN_CHARACTERS = 200;
const AT_ONCE: Promise<void> = Promise.resolve();

export class LineDoor {
  readonly #options: LineDoorOptions;
  readonly #running = new Set<Promise<void>>();
  /** Lines held back until `ready` has been said. */
  #held: string[] | undefined = [];
  #last: Promise<void> = AT_ONCE;
  #finished = false;

  constructor(options: LineDoorOptions) {
    this.#options = options;
  }

  /** True once the client said `quit`. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Announces the tools; answers that are ready earlier wait for it. */
  async ready(): Promise<void> {
    const { gateway, principal, language, version } = this.#options;
    const tools = await gateway.listTools(principal, language);
    const early = this.#held ?? [];
    this.#held = undefined;
    for (const line of [encodeReady(version, tools.map(announced)), ...early]) this.#say(line);
  }

  receive(line: string): void {
    if (this.#finished || line.trim() === "") return;
    const { language, limits } = this.#options;
    const scan = scanJson(line, limits);
    if (!scan.ok) this.#refuse("null", say(language, "error.BAD_JSON", { reason: scan.reason }));
    else this.#take(new Message(line, scan.members));
  }

  /** A line came that was longer than this many bytes; its id is lost with it. */
  tooLong(limit: number): void {
    if (this.#finished) return;
    this.#refuse("null", say(this.#options.language, "error.TOO_LARGE", { what: "a line", limit: `${limit} bytes` }));
  }

  /** Resolves when every line taken so far has its answer. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #take(message: Message): void {
    switch (message.value("type")) {
      case "call":
        this.#start(message);
        break;
      case "quit":
        this.#finished = true;
        break;
      default:
        this.#refuse(message.id, say(this.#options.language, "line.unknownType", { type: message.shown("type") }));
    }
  }

  #start(message: Message): void {
    const { language } = this.#options;
    const tool = message.value("tool");
    if (!message.has("id") || typeof tool !== "string" || tool === "") {
      this.#refuse(message.id, say(language, "line.missingIdOrTool"));
    } else if (message.has("args") && message.kind("args") !== "object") {
      const reason = say(language, "argument.wrong", { path: "args", rule: sayType(language, ["object"]) });
      this.#refuse(message.id, say(language, "error.INVALID_ARGUMENT", { reason }));
    } else {
      this.#reply(() => this.#call(message.id, tool, message.has("args") ? message.text("args") : undefined));
    }
  }

  #refuse(id: string, text: string): void {
    this.#reply(() => encodeError(id, text));
  }

  /** `answer` must not throw or reject: every failure has its line. */
  #reply(answer: () => string | Promise<string>): void {
    const turn = this.#options.oneAtATime ? this.#last : AT_ONCE;
    this.#last = turn.then(answer).then((line) => this.#say(line));
    const running = this.#last.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #call(id: string, tool: string, args: string | undefined): Promise<string> {
    const { gateway, principal, language } = this.#options;
    try {
      const payload = args === undefined ? EMPTY_OBJECT : Payload.ofText(args);
      return answerOf(id, await gateway.call({ tool, args: payload, principal, language, door: "line" }));
    } catch (cause) {
      return encodeError(id, failureText(toZaguanError(cause), language));
    }
  }

  #say(line: string): void {
    if (this.#held) this.#held.push(line);
    else this.#options.write(line);
  }
}

/** One line from the client; a member that is null counts as absent. */
class Message {
  readonly #line: string;
  readonly #members: readonly Member[];

  constructor(line: string, members: readonly Member[]) {
    this.#line = line;
    this.#members = members;
  }

  /** The id as it was written. */
  get id(): string {
    return this.text("id");
  }

  has(key: string): boolean {
    return this.text(key) !== "null";
  }

  kind(key: string): Member["kind"] | undefined {
    return memberOf(this.#members, key)?.kind;
  }

  text(key: string): string {
    return memberText(this.#line, this.#members, key) ?? "null";
  }

  value(key: string): unknown {
    return JSON.parse(this.text(key));
  }

  /** As the Python original would print it. */
  shown(key: string): string {
    const value = this.value(key);
    if (value === null) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    return (typeof value === "string" ? value : this.text(key)).slice(0, SHOWN_CHARACTERS);
  }
}

function announced({ definition }: ListedTool): LineTool {
  const { name, description = "", inputSchema, outputSchema } = definition;
  return { name, description, input_schema: inputSchema, output_schema: outputSchema };
}

/** MCP's result in the seed's words, cut out of its text so that nothing in it changes. */
function answerOf(id: string, result: Payload): string {
  const scan = scanJson(result.text, ANSWER_LIMITS, { refuseDuplicates: false });
  if (!scan.ok) throw new ZaguanError("INTERNAL", { cause: new Error(`unreadable result: ${scan.reason}`) });
  const { members } = scan;
  const content = memberText(result.text, members, "content") ?? "[]";
  if (memberText(result.text, members, "isError") === "true") return encodeError(id, joinedText(content));
  const structured = memberText(result.text, members, "structuredContent");
  const plain = structured === undefined || structured === "null";
  return encodeResult(id, plain ? `{"content":${content}}` : structured);
}

/** The texts among the parts; if there are none, the parts themselves, rather than an error without words. */
function joinedText(content: string): string {
  const parts = JSON.parse(content) as unknown;
  const texts = Array.isArray(parts) ? parts.map((part) => part?.text).filter((text) => typeof text === "string") : [];
  return texts.join("\n") || content;
}

function memberText(text: string, members: readonly Member[], key: string): string | undefined {
  const member = memberOf(members, key);
  return member && text.slice(member.start, member.end);
}

function failureText(error: ZaguanError, language: Language): string {
  const { relayed, params } = error.details;
  if (error.code === "INTERNAL" && !relayed) return say(language, "line.internal", { reference: "-", ...params });
  const missing = error.code === "INVALID_ARGUMENT" ? missingText(error, language) : undefined;
  return missing ?? sayError(language, error);
}

/** Like the original, names every required parameter as soon as one is missing. */
function missingText(error: ZaguanError, language: Language): string | undefined {
  const required = error.details.data?.["required"];
  const missing = error.details.data?.["missing"];
  if (!Array.isArray(required) || !Array.isArray(missing) || missing.length === 0) return undefined;
  const key = required.length === 1 ? "argument.missingOne" : "argument.missingMany";
  const reason = say(language, key, { names: required.join(", ") });
  return language === "es" ? reason : say(language, "error.INVALID_ARGUMENT", { reason });
}
