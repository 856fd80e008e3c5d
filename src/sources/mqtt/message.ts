/** One message of a broker as its readers want it: decoded and parsed when the first of them asks, and once for all. */
import type { Message } from "./discovery/device.ts";
import { jsonOf, textOf } from "./payload.ts";

export class IncomingMessage implements Message {
  readonly #payload: Buffer;
  #text: string | undefined;
  #json: unknown;
  #isDecoded = false;
  #isParsed = false;

  constructor(payload: Buffer) {
    this.#payload = payload;
  }

  get text(): string | undefined {
    if (!this.#isDecoded) this.#text = textOf(this.#payload);
    this.#isDecoded = true;
    return this.#text;
  }

  get json(): unknown {
    if (!this.#isParsed) this.#json = this.text === undefined ? undefined : jsonOf(this.text);
    this.#isParsed = true;
    return this.#json;
  }
}
