/**
 * A piece of JSON that is text, a value, or both: each form is made at most once, when somebody asks for it. What only
 * passes through the hub keeps the very characters its sender wrote (key order, number spelling, large integers).
 */
import type { Member } from "./scan.ts";

export class Payload {
  #text: string | undefined;
  #value: unknown;
  #parsed: boolean;
  #bytes: Uint8Array | undefined;
  /** The members of an object, where a scan has found them; their places are those of the text that was scanned. */
  readonly shape: readonly Member[] | undefined;

  private constructor(text: string | undefined, value: unknown, parsed: boolean, shape?: readonly Member[]) {
    this.shape = shape;
    this.#text = text;
    this.#value = value;
    this.#parsed = parsed;
  }

  /** `text` must be valid JSON already: it will be written out as it is. */
  static ofText(text: string, shape?: readonly Member[]): Payload {
    return new Payload(text, undefined, false, shape);
  }

  static ofValue(value: unknown): Payload {
    return new Payload(undefined, value, true);
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.#value) ?? "null";
    return this.#text;
  }

  /** As it goes over a wire; for what is sent again and again. */
  get bytes(): Uint8Array {
    this.#bytes ??= ENCODER.encode(this.text);
    return this.#bytes;
  }

  /** Shared with every other reader: treat it as frozen. */
  get value(): unknown {
    if (!this.#parsed) {
      this.#value = JSON.parse(this.#text as string);
      this.#parsed = true;
    }
    return this.#value;
  }
}

const ENCODER = new TextEncoder();

export const EMPTY_OBJECT: Payload = Payload.ofText("{}");
