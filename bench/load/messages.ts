/**
 * The messages of the load: each with an id and a text that no other has, so that an answer to something else cannot
 * pass. Checking looks at the answer's characters; only what looks wrong at first is parsed before it is called wrong.
 */
import type { Era, Question } from "./protocol.ts";

const CLIENT = '{"name":"bench","version":"1"}';
const ENVELOPE =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},' +
  `"io.modelcontextprotocol/clientInfo":${CLIENT}}`;

export const VERSIONS: Readonly<Record<Era, string | undefined>> = {
  2025: "2025-11-25",
  2026: "2026-07-28",
  bare: undefined,
};

export const INITIALIZE = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":${CLIENT}}}`;
export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

export interface Messages {
  make(id: number): string;
  /** What is wrong with the answer, or nothing. */
  fault(id: number, answer: string | Buffer): string | undefined;
  /** Headers that revision 2026-07-28 wants beside the message; they depend on the id where the tool does. */
  headers(id: number): string;
}

export function messagesFor(question: Question): Messages {
  return question.method === "tools/call" ? new Calls(question) : new Lists(question);
}

class Calls implements Messages {
  readonly #salt = Math.random().toString(36).slice(2, 8);
  readonly #filler: string;
  readonly #names: readonly string[];
  readonly #heads: readonly string[];
  readonly #tail: string;

  constructor({ era, bytes, prefixes }: Question) {
    this.#filler = "The quick brown fox jumps over the lazy dog. "
      .repeat(bytes / 45 + 1)
      .slice(0, Math.max(0, bytes - 16));
    this.#names = prefixes.map((prefix) => `${prefix}echo`);
    const headers = (name: string): string => (era === "2026" ? `mcp-method: tools/call\r\nmcp-name: ${name}\r\n` : "");
    this.#heads = this.#names.map(headers);
    this.#tail = era === "2026" ? `${this.#filler}"},${ENVELOPE}}}` : `${this.#filler}"}}}`;
  }

  make(id: number): string {
    const name = this.#names[id % this.#names.length] as string;
    return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{"text":"${this.#nonce(id)}${this.#tail}`;
  }

  fault(id: number, given: string | Buffer): string | undefined {
    const answer = given.toString("latin1");
    if (hasId(answer, id) && this.#hasText(answer, `"text":"${this.#nonce(id)}`)) return undefined;
    return this.#parsedFault(id, answer);
  }

  headers(id: number): string {
    return this.#heads[id % this.#heads.length] as string;
  }

  #nonce(id: number): string {
    return `${this.#salt}-${id}-`;
  }

  #hasText(answer: string, beginning: string): boolean {
    const at = answer.indexOf(beginning);
    const end = at + beginning.length + this.#filler.length;
    return at >= 0 && answer.startsWith(this.#filler, at + beginning.length) && answer.charCodeAt(end) === 0x22;
  }

  #parsedFault(id: number, answer: string): string | undefined {
    const message = parsed(answer);
    if (message?.id !== id) return `asked ${id}, was answered ${excerpt(answer)}`;
    const text = message.result?.content?.[0]?.text;
    return text === this.#nonce(id) + this.#filler ? undefined : `another text came back: ${excerpt(answer)}`;
  }
}

class Lists implements Messages {
  readonly #era: Era;
  readonly #tools: number;
  /** An answer that was looked at in full, without its id: the others must be the same. */
  #known: { readonly head: string; readonly tail: string; readonly bytes: Buffer } | undefined;

  constructor({ era, tools }: Question) {
    this.#era = era;
    this.#tools = tools;
  }

  make(id: number): string {
    const params = this.#era === "2026" ? `,"params":{${ENVELOPE}}` : "";
    return `{"jsonrpc":"2.0","id":${id},"method":"tools/list"${params}}`;
  }

  headers(): string {
    return this.#era === "2026" ? "mcp-method: tools/list\r\n" : "";
  }

  fault(id: number, given: string | Buffer): string | undefined {
    if (typeof given !== "string" && this.#isSame(id, given)) return undefined;
    const answer = given.toString("latin1");
    const at = idAt(answer, id);
    const behind = at + String(id).length;
    const known = this.#known;
    if (at >= 0 && known && answer.length === known.head.length + known.tail.length + behind - at) {
      if (answer.startsWith(known.head) && answer.startsWith(known.tail, behind)) return undefined;
    }
    const fault = this.#parsedFault(id, answer);
    if (fault === undefined && at >= 0) {
      const tail = answer.slice(behind);
      this.#known = { head: answer.slice(0, at), tail, bytes: Buffer.from(tail, "latin1") };
    }
    return fault;
  }

  /** Byte by byte, but for the id, which stands at the beginning. */
  #isSame(id: number, answer: Buffer): boolean {
    const known = this.#known;
    const head = known && `${known.head}${id}`;
    if (!head || answer.toString("latin1", 0, head.length) !== head) return false;
    return answer.subarray(head.length).equals(known.bytes);
  }

  #parsedFault(id: number, answer: string): string | undefined {
    const message = parsed(answer);
    if (message?.id !== id) return `asked ${id}, was answered ${excerpt(answer)}`;
    const tools: readonly { name?: string }[] = message.result?.tools ?? [];
    const names = new Set(tools.map(({ name }) => name));
    if (!names.has("echo")) return `no tool "echo": ${excerpt(answer)}`;
    // A long list may come in pages; the first is measured.
    if (message.result?.nextCursor !== undefined && names.size < this.#tools) return undefined;
    return names.size === this.#tools ? undefined : `${names.size} tools instead of ${this.#tools}`;
  }
}

/** On connections that are not one question's own, a server may say something that nobody asked. */
export function isNotification(message: string): boolean {
  return message.length < 4_096 && !message.includes('"id":');
}

function hasId(answer: string, id: number): boolean {
  return idAt(answer, id) >= 0;
}

/** Where the digits of this id stand. A text of the load has no quotation marks, so that this is a member's name. */
function idAt(answer: string, id: number): number {
  const member = `"id":${id}`;
  // The id is near one of the ends; a large text between them need not be searched.
  const near = answer.lastIndexOf(member, 64);
  const at = near >= 0 ? near : answer.indexOf(member, Math.max(0, answer.length - 64));
  const next = answer.charCodeAt(at + member.length);
  return at >= 0 && (next === 0x2c || next === 0x7d) ? at + 5 : -1;
}

// biome-ignore lint/suspicious/noExplicitAny: a stranger's answer, looked into with `?.` alone
function parsed(answer: string): any {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}

function excerpt(answer: string): string {
  return answer.length > 200 ? `${answer.slice(0, 200)}…` : answer || "nothing";
}
