/** Official MCP on standard input and output: Zaguan as a desktop client's child process. */
import type { Principal } from "../core/call.ts";
import type { Gateway } from "../core/gateway-contract.ts";
import { ZaguanError } from "../errors.ts";
import type { Language } from "../messages/catalogue.ts";
import type { ScanLimits } from "../protocol/json/scan.ts";
import { encodeError, readMessage } from "../protocol/json-rpc/message.ts";
import { Conversation, TOOLS_CHANGED } from "./mcp/conversation.ts";
import { rpcError } from "./mcp/failure.ts";

export interface StdioDoorOptions {
  readonly gateway: Gateway;
  readonly principal: Principal;
  readonly language: Language;
  readonly limits: ScanLimits;
  write(message: string): void;
  report(cause: unknown): string;
}

export class StdioDoor {
  readonly #options: StdioDoorOptions;
  readonly #conversation: Conversation;
  readonly #stopListening: () => void;
  readonly #running = new Set<Promise<void>>();
  #greeted = false;

  constructor(options: StdioDoorOptions) {
    this.#options = options;
    this.#conversation = new Conversation({ ...options, door: "stdio", bare: false });
    this.#stopListening = options.gateway.onToolsChanged(() => {
      if (this.#greeted) options.write(TOOLS_CHANGED);
    });
  }

  receive(line: string): void {
    const message = readMessage(line, this.#options.limits);
    if (message.kind === "reject") this.#refuse(message.id, message.error);
    if (message.kind !== "call") return;
    if (message.id === undefined) this.#conversation.notified(message);
    else this.#track(this.#answer({ ...message, id: message.id }));
  }

  /** A line came that was longer than this many bytes; its id is lost with it. */
  tooLong(limit: number): void {
    this.#refuse("null", new ZaguanError("TOO_LARGE", { params: { what: "a line", limit: `${limit} bytes` } }));
  }

  /** Resolves when every request that came has its answer. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  close(): void {
    this.#stopListening();
    this.#conversation.end();
  }

  #refuse(id: string, error: ZaguanError): void {
    this.#options.write(encodeError(id, rpcError(error, this.#options.language)));
  }

  async #answer(call: Parameters<Conversation["answer"]>[0]): Promise<void> {
    const { language, write } = this.#options;
    const { text } = await this.#conversation.answer(call, { language, notify: write });
    if (call.method === "initialize") this.#greeted = true;
    if (text !== undefined) write(text);
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}
