/**
 * A piece of JSON that is text, a value, or both: each form is made at most once, when somebody asks for it. What only
 * passes through the hub keeps the very characters its sender wrote (key order, number spelling, large integers).
 */
export class Payload {
  #text: string | undefined;
  #value: unknown;
  #parsed: boolean;

  private constructor(text: string | undefined, value: unknown, parsed: boolean) {
    this.#text = text;
    this.#value = value;
    this.#parsed = parsed;
  }

  /** `text` must be valid JSON already: it will be written out as it is. */
  static ofText(text: string): Payload {
    return new Payload(text, undefined, false);
  }

  static ofValue(value: unknown): Payload {
    return new Payload(undefined, value, true);
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.#value) ?? "null";
    return this.#text;
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

export const EMPTY_OBJECT: Payload = Payload.ofText("{}");
