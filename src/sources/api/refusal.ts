/** Arguments that cannot be sent: the caller is told which and why, in its language, and nothing leaves. */
import { type Delivery, ZaguanError } from "../../errors.ts";
import { type Language, type MessageKey, type MessageParams, say } from "../../messages/catalogue.ts";

/** In English until somebody who knows the caller says it again. */
export class Refusal extends ZaguanError {
  readonly #key: MessageKey;
  readonly #params: MessageParams;

  constructor(key: MessageKey, params: MessageParams, delivery: Delivery, language: Language = "en") {
    super("INVALID_ARGUMENT", { params: { reason: say(language, key, params) }, delivery });
    this.#key = key;
    this.#params = params;
  }

  in(language: Language): Refusal {
    return new Refusal(this.#key, this.#params, this.details.delivery ?? "not_sent", language);
  }
}

export function wrongArgument(key: MessageKey, params: MessageParams = {}): Refusal {
  return new Refusal(key, params, "not_sent");
}

export function missingArgument(argument: string): Refusal {
  return wrongArgument("argument.missingOne", { names: argument });
}
