/** Why the calendar does not do what it was asked. It is said in the caller's language, which those who find it do not know. */
import { type Language, type MessageKey, type MessageParams, say } from "../../messages/catalogue.ts";

/** A reason: it stands behind "the event could not be created: ". */
export class Unfit extends Error {
  readonly #key: MessageKey;
  readonly #params: MessageParams;

  constructor(key: MessageKey, params: MessageParams = {}) {
    super(key);
    this.#key = key;
    this.#params = params;
  }

  in(language: Language): string {
    return say(language, this.#key, this.#params);
  }
}

/** An answer in itself, with what else is to be told. */
export class Refusal extends Unfit {
  readonly more: Readonly<Record<string, unknown>>;

  constructor(key: MessageKey, more: Readonly<Record<string, unknown>> = {}) {
    super(key);
    this.more = more;
  }
}
