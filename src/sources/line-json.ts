/**
 * A child process that speaks seed 000's line protocol, as a source: the Python original included, which may print a
 * warning on stdout before `ready`. The protocol has no cancel and no progress: an aborted call is no longer waited for,
 * and its late answer is dropped.
 */
import type { ToolDefinition } from "../core/call.ts";
import { answerTooLarge, ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { secretsGiven } from "../link/child-environment.ts";
import type { Ending } from "../link/ending.ts";
import type { Link, LinkHandlers } from "../link/link.ts";
import type { CutMessage } from "../protocol/framing/passed-over.ts";
import { Payload } from "../protocol/json/payload.ts";
import { idOfCut } from "../protocol/json-rpc/broken-message.ts";
import { encodeCall, type LineTool, parseServerLine, type ServerLine } from "../protocol/line-json/codec.ts";
import { NoiseLimit } from "./noise-limit.ts";
import type { ConnectContext, Connection, SourceKind, SourceRequest } from "./source.ts";

export interface LineJsonOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** A longer line is passed over. */
  readonly lineBytes: number;
  /** How long to wait for `ready`. */
  readonly readyMs: number;
}

export const lineJson: SourceKind<LineJsonOptions> = {
  kind: "line",
  look: {
    title: { en: "line protocol", es: "protocolo de líneas", fr: "protocole de lignes", zh: "行协议" },
    icon: "M4 7h16M4 12h10M4 17h13",
  },
  concurrency: 16,
  trusted: false,
  async connect(options, context, signal) {
    if (signal.aborted) throw unavailable(context.name, "given up before the start", signal.reason);
    // Loaded with the first program that is started: a hub without one never needs it.
    const { openChildLink } = await import("../link/child-process.ts");
    const { openRedacted } = await import("../link/redacted-link.ts");
    const receiver = new Receiver(context);
    const link = await openRedacted(secretsGiven(options), receiver.handlers, (handlers) =>
      openChildLink({ ...options, name: context.name }, handlers),
    );
    try {
      const tools = await readiness(receiver, link, options.readyMs, context, signal);
      return new LineConnection(context.name, link, receiver, tools);
    } catch (error) {
      await link.close();
      throw error;
    }
  },
};

/** Noise is shown in the console and the log: a hint is enough. */
const NOISE_CHARACTERS = 500;

type Answer = Exclude<ServerLine, { type: "ready" }>;

interface Waiter {
  /** From here on the child's end leaves the outcome open; before, the link itself knows whether the call left. */
  sent: boolean;
  resolve(answer: Answer): void;
  reject(error: ZaguanError): void;
}

/** Sorts what the child says: readiness, answers by id, and noise. */
class Receiver {
  readonly tools: Promise<readonly LineTool[]>;
  readonly waiting = new Map<number, Waiter>();
  readonly #context: ConnectContext;
  readonly #noises: NoiseLimit;
  #announce: ((tools: readonly LineTool[]) => void) | undefined;
  #lastId = 0;

  constructor(context: ConnectContext) {
    const { promise, resolve } = Promise.withResolvers<readonly LineTool[]>();
    this.tools = promise;
    this.#announce = resolve;
    this.#context = context;
    this.#noises = new NoiseLimit(context);
  }

  get handlers(): LinkHandlers {
    return {
      onMessage: (line) => this.#receive(line),
      onLog: (line) => this.#context.onLog(line),
      onNoise: (line) => this.#noise(line),
      onTooLarge: (line) => this.#tooLarge(line),
    };
  }

  nextId(): number {
    return ++this.#lastId;
  }

  #receive(line: string): "answer" | "unasked" {
    const message = parseServerLine(line);
    if (message?.type === "ready" && this.#announce) {
      this.#announce(message.tools);
      this.#announce = undefined;
      return "answer";
    }
    if (!message || message.type === "ready" || !this.#issued(message.id)) {
      this.#noise(line);
      return "unasked";
    }
    const waiter = this.waiting.get(message.id as number);
    waiter?.resolve(message);
    return waiter === undefined ? "unasked" : "answer";
  }

  #tooLarge(line: CutMessage): void {
    const waiter = this.waiting.get(Number(idOfCut(line)));
    if (waiter) waiter.reject(answerTooLarge(this.#context.name, line.bytes, line.limit, "executed"));
    else this.#noise(line.head);
  }

  /** Ids that we gave out but no longer wait for belong to late answers, which are no noise. */
  #issued(id: unknown): boolean {
    return Number.isInteger(id) && (id as number) >= 1 && (id as number) <= this.#lastId;
  }

  #noise(line: string): void {
    if (line.trim() !== "") this.#noises.add(line.slice(0, NOISE_CHARACTERS));
  }
}

class LineConnection implements Connection {
  readonly closed: Promise<Ending>;
  readonly #name: string;
  readonly #link: Link;
  readonly #receiver: Receiver;
  readonly #tools: readonly ToolDefinition[];
  #over: string | undefined;

  constructor(name: string, link: Link, receiver: Receiver, tools: readonly LineTool[]) {
    this.#name = name;
    this.#link = link;
    this.#receiver = receiver;
    this.#tools = tools.map(definitionOf);
    this.closed = link.closed;
    void link.closed.then(({ reason }) => this.#end(reason));
  }

  async listTools(): Promise<readonly ToolDefinition[]> {
    return this.#tools;
  }

  async request(request: SourceRequest): Promise<Payload> {
    const { method, signal } = request;
    if (method !== "tools/call") throw new ZaguanError("UNKNOWN_METHOD", { params: { method }, delivery: "not_sent" });
    if (this.#over !== undefined) throw unavailable(this.#name, this.#over);
    if (signal.aborted) throw abandoned(signal, "not_sent");
    const id = this.#receiver.nextId();
    try {
      return resultOf(await this.#exchange(id, request));
    } finally {
      this.#receiver.waiting.delete(id);
    }
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  #exchange(id: number, { name, args, signal }: SourceRequest): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const waiter: Waiter = { sent: false, resolve, reject };
    // Before it was taken, the link itself says what becomes of it.
    const onAbort = () => {
      if (waiter.sent) reject(abandoned(signal, "unknown"));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#receiver.waiting.set(id, waiter);
    this.#link.send(encodeCall(id, name, args.text), signal).then(
      () => {
        this.#sent(waiter);
        if (signal.aborted) onAbort();
      },
      (error: unknown) => reject(this.#sendFailure(error)),
    );
    return promise.finally(() => signal.removeEventListener("abort", onAbort));
  }

  #sent(waiter: Waiter): void {
    waiter.sent = true;
    if (this.#over !== undefined) waiter.reject(this.#outcomeUnknown());
  }

  #end(reason: string): void {
    this.#over = reason;
    for (const waiter of this.#receiver.waiting.values()) {
      if (waiter.sent) waiter.reject(this.#outcomeUnknown());
    }
  }

  #sendFailure(error: unknown): ZaguanError {
    const unsent = error instanceof ZaguanError && error.delivery === "not_sent";
    return unsent ? error : this.#outcomeUnknown(error);
  }

  #outcomeUnknown(cause?: unknown): ZaguanError {
    return new ZaguanError("OUTCOME_UNKNOWN", { params: { source: this.#name }, delivery: "unknown", cause });
  }
}

/** The tools that `ready` announced; rejects if the child ends first, takes too long, or the attempt is given up. */
async function readiness(
  receiver: Receiver,
  link: Link,
  readyMs: number,
  { name, clock }: ConnectContext,
  signal: CancelSignal,
): Promise<readonly LineTool[]> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(unavailable(name, "given up before it was ready", signal.reason));
  const stopClock = clock.after(readyMs, () => reject(unavailable(name, `not ready within ${readyMs / 1000} s`)));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  link.closed.then(({ reason, words }) => reject(unavailable(name, reason, undefined, words)));
  try {
    return await Promise.race([receiver.tools, failed]);
  } finally {
    stopClock();
    signal.removeEventListener("abort", onAbort);
  }
}

function definitionOf({ name, description, input_schema, output_schema }: LineTool): ToolDefinition {
  const definition = { name, description, inputSchema: input_schema };
  return output_schema ? { ...definition, outputSchema: output_schema } : definition;
}

/** MCP's result, with the child's own spelling of its JSON kept. */
function resultOf(answer: Answer): Payload {
  if (answer.type === "error") {
    return Payload.ofValue({ content: [{ type: "text", text: answer.error }], isError: true });
  }
  const { resultText } = answer;
  const structured = resultText.startsWith("{") ? `,"structuredContent":${resultText}` : "";
  return Payload.ofText(`{"content":[{"type":"text","text":${JSON.stringify(resultText)}}]${structured}}`);
}

function unavailable(source: string, reason: string, cause?: unknown, words?: string): ZaguanError {
  return new ZaguanError("SOURCE_UNAVAILABLE", { params: { source, reason }, words, delivery: "not_sent", cause });
}

function abandoned(signal: CancelSignal, delivery: "not_sent" | "unknown"): ZaguanError {
  const { reason } = signal;
  return reason instanceof ZaguanError ? reason : new ZaguanError("CANCELLED", { delivery, cause: reason });
}
