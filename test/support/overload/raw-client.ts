/** The least that it takes to POST over a kept connection and read the answer: a load generator must not be the bottleneck. */
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

export class RawClient {
  readonly #port: number;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();

  constructor(port: number) {
    this.#port = port;
  }

  /** `bytes` is a whole request. A new connection is made where all others are busy. */
  async send(bytes: string): Promise<RawAnswer> {
    const connection = this.#idle.pop() ?? this.#open();
    const answer = await connection.send(bytes);
    if (connection.isOpen) this.#idle.push(connection);
    else this.#all.delete(connection);
    return answer;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #open(): Connection {
    const connection = new Connection(this.#port);
    this.#all.add(connection);
    return connection;
  }
}

const FAILED: RawAnswer = { status: 0, retryAfter: undefined };

class Connection {
  isOpen = true;
  readonly #socket: Socket;
  #text = "";
  #done: ((answer: RawAnswer) => void) | undefined;

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (chunk) => this.#take(String(chunk)));
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.isOpen = false;
      this.#end(FAILED);
    });
  }

  send(bytes: string): Promise<RawAnswer> {
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: string): void {
    this.#text += chunk;
    const head = this.#text.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = Number(headerIn(this.#text, "content-length") ?? 0);
    if (this.#text.length < head + 4 + length) return;
    const answer = { status: Number(this.#text.slice(9, 12)), retryAfter: headerIn(this.#text, "retry-after") };
    this.#text = "";
    this.#end(answer);
  }

  #end(answer: RawAnswer): void {
    this.#done?.(answer);
    this.#done = undefined;
  }
}

/** Our hub writes these names in small letters. */
function headerIn(text: string, name: string): string | undefined {
  const at = text.indexOf(`\r\n${name}: `);
  return at < 0 ? undefined : text.slice(at + name.length + 4, text.indexOf("\r\n", at + 2));
}
