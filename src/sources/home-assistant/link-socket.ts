/**
 * A link in the clothes of a browser's WebSocket, as far as Home Assistant's client looks at one. So the client works over
 * our own socket, behind the guard; and what it throws at a message that is none ends one connection, not the process.
 */
import type { HaWebSocket } from "home-assistant-js-websocket";
import type { Link } from "../../link/link.ts";

type Listener = (event: { readonly data?: string }) => void;

const OPEN = 1;
const CLOSED = 3;

export class LinkSocket {
  readonly OPEN: number = OPEN;
  readonly haVersion: string;
  readonly #link: Link;
  readonly #listeners = new Map<string, Set<Listener>>();
  #isOpen = true;

  constructor(link: Link, haVersion: string) {
    this.#link = link;
    this.haVersion = haVersion;
  }

  get readyState(): number {
    return this.#isOpen ? OPEN : CLOSED;
  }

  addEventListener(type: string, listener: Listener): void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  /** What cannot be sent is never answered: then the connection is of no use. */
  send(message: string): void {
    this.#link.send(message).catch(() => this.close());
  }

  close(): void {
    void this.#link.close();
  }

  /** False if nobody could make anything of it. */
  receive(message: string): boolean {
    try {
      this.#tell("message", { data: message });
      return true;
    } catch {
      return false;
    }
  }

  /** The link is gone. */
  ended(): void {
    this.#isOpen = false;
    this.#tell("close", {});
  }

  asBrowserSocket(): HaWebSocket {
    return this as unknown as HaWebSocket;
  }

  #tell(type: string, event: { readonly data?: string }): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}
