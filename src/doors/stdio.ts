/** Official MCP on standard input and output: Zaguan as a desktop client's child process. */
import type { Principal } from "../core/call.ts";
import type { Gateway } from "../core/gateway-contract.ts";
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
    const { limits, language, write } = this.#options;
    const message = readMessage(line, limits);
    if (message.kind === "reject") write(encodeError(message.id, rpcError(message.error, language)));
    if (message.kind !== "call") return;
    if (message.id === undefined) this.#conversation.notified(message);
    else this.#track(this.#answer({ ...message, id: message.id }));
  }

  /** Resolves when every request that came has its answer. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  close(): void {
    this.#stopListening();
    this.#conversation.end();
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
