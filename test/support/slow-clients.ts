/** Clients that hold a connection and do next to nothing with it. */
import { connect, type Socket } from "node:net";

export class SlowClients {
  readonly #sockets = new Set<Socket>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #url: URL;
  /** How long the one that was cut last had been connected. */
  longestMs = 0;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** How many are still connected. */
  get open(): number {
    return this.#sockets.size;
  }

  get host(): string {
    return this.#url.host;
  }

  /** Sends the beginning, then one more piece at every interval. */
  drip(count: number, beginning: string, piece: string, everyMs: number): void {
    for (const socket of this.#connect(count, beginning)) {
      socket.resume();
      this.#timers.push(setInterval(() => socket.write(piece), everyMs));
    }
  }

  /** Sends a whole request and never reads a byte of the answer. */
  ignoreAnswer(count: number, request: string): void {
    for (const socket of this.#connect(count, request)) socket.pause();
  }

  leave(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(count: number, text: string): Socket[] {
    return Array.from({ length: count }, () => {
      let since = 0;
      const socket = connect(Number(this.#url.port), this.#url.hostname, () => {
        since = performance.now();
        socket.write(text);
      });
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.longestMs = Math.max(this.longestMs, performance.now() - since);
      });
      return socket;
    });
  }
}
