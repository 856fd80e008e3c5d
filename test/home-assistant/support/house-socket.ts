/** Home Assistant's WebSocket API as it is: every frame is kept as it came, in its order. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RealHome } from "../../support/real-home.ts";

const LIMIT_MS = 30_000;

export interface Message {
  readonly id?: number;
  readonly type: string;
  readonly success?: boolean;
  readonly result?: unknown;
  readonly event?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

export class HouseSocket {
  /** Parsed; a frame may be an array of messages. */
  readonly frames: (Message | readonly Message[])[] = [];
  /** The code with which it closed. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #id = 0;

  constructor({ url }: Pick<RealHome, "url">) {
    this.#socket = new WebSocket(`${url.replace("http", "ws")}/api/websocket`);
    this.#socket.onmessage = ({ data }): void => void this.frames.push(JSON.parse(String(data)) as Message);
    this.closed = new Promise((resolve) => {
      this.#socket.onclose = ({ code }): void => resolve(code);
    });
  }

  /** Ready for commands. */
  static async authenticated(home: Pick<RealHome, "url" | "token">): Promise<HouseSocket> {
    const socket = new HouseSocket(home);
    await socket.next(({ type }) => type === "auth_required");
    socket.send({ type: "auth", access_token: home.token });
    await socket.next(({ type }) => type === "auth_ok");
    return socket;
  }

  get messages(): Message[] {
    return this.frames.flat() as Message[];
  }

  send(message: object): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  /** With the next id, which is handed back. */
  command(type: string, more: object = {}): number {
    this.#id += 1;
    this.send({ id: this.#id, type, ...more });
    return this.#id;
  }

  /** The answer to a command. */
  ask(type: string, more: object = {}): Promise<Message> {
    const id = this.command(type, more);
    return this.next((message) => message.id === id && message.type !== "event");
  }

  /** The first message of this kind, of all that came or will come. */
  async next(isIt: (message: Message) => boolean): Promise<Message> {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const found = this.messages.find(isIt);
      if (found) return found;
      if (performance.now() > end) throw new Error(`it never came; instead:\n${JSON.stringify(this.frames)}`);
      await sleep(5);
    }
  }

  close(): void {
    this.#socket.close();
  }
}

/** What the n-th event of a subscription says; the first is number 0. */
export async function eventOf(socket: HouseSocket, id: number, n = 0): Promise<unknown> {
  const events = (): Message[] => socket.messages.filter((message) => message.id === id && message.type === "event");
  await socket.next(() => events().length > n);
  return events()[n]?.event;
}
