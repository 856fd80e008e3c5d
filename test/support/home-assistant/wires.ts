/**
 * The sockets of the house: every connection, so that it can be cut, and the black hole, which accepts everything and
 * answers nothing. A WebSocket that fell into it never comes out, as when a router forgot the connection: its client has
 * to notice by itself, and new connections are served once the hole is closed.
 */
import type { Socket } from "node:net";

export class Wires {
  readonly #open = new Set<Socket>();
  readonly #webSockets = new Set<Socket>();
  readonly #lost = new WeakSet<Socket>();
  #muted = false;

  get muted(): boolean {
    return this.#muted;
  }

  get webSockets(): number {
    return this.#webSockets.size;
  }

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#open.delete(socket));
  }

  /** To be called when a connection becomes a WebSocket. */
  addWebSocket(socket: Socket): void {
    this.#webSockets.add(socket);
    socket.once("close", () => this.#webSockets.delete(socket));
    if (this.#muted) this.#swallow(socket);
  }

  /** Whether it fell into the hole: nothing may be said on it any more. */
  isLost(socket: Socket): boolean {
    return this.#lost.has(socket);
  }

  mute(on: boolean): void {
    this.#muted = on;
    if (on) for (const socket of this.#webSockets) this.#swallow(socket);
  }

  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Reads on and forgets; not even a farewell is answered. */
  #swallow(socket: Socket): void {
    this.#lost.add(socket);
    socket.removeAllListeners("data").removeAllListeners("end");
    socket.on("end", () => socket.destroy()).resume();
  }
}
