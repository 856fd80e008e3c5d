/**
 * What waits to be sent on one socket. All that one moment brings leaves together: in one array, if the client said that
 * it can read that, or else message by message.
 */
export class Outbox {
  readonly #send: (text: string) => void;
  readonly #waiting: string[] = [];
  /** Whether the client can read arrays. */
  together = false;
  #due = false;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  put(text: string): void {
    this.#waiting.push(text);
    if (this.#due) return;
    this.#due = true;
    setImmediate(() => this.flush());
  }

  flush(): void {
    this.#due = false;
    const messages = this.#waiting.splice(0);
    if (this.together && messages.length > 1) this.#send(`[${messages.join(",")}]`);
    else for (const message of messages) this.#send(message);
  }
}
