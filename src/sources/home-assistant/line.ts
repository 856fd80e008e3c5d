/**
 * One connection to the WebSocket interface of a house: commands and their answers, subscriptions and their events, by Home
 * Assistant's own client. Its reconnecting is not used: a line lives once, and its supervisor makes the next.
 */
import type { Connection as HomeClient, MessageBase } from "home-assistant-js-websocket";
import { isObject } from "../../contract/rules.ts";
import type { Clock } from "../../core/ports.ts";
import { toZaguanError, withDelivery, ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { CLOSED, type Ending, type Obstacle, unfit } from "../../link/ending.ts";
import { unavailable } from "../../link/http-failures.ts";
import type { Link } from "../../link/link.ts";
import { Refusal } from "../shared/tool-call.ts";
import type { HomeAssistantOptions } from "./house.ts";
import { enter, LinkSocket } from "./socket.ts";

/** What the client throws instead of sending. */
const CONNECTION_LOST = 3;

export class HomeLine {
  readonly version: string;
  /** Resolves, never rejects, when the line is gone. */
  readonly closed: Promise<Ending>;
  readonly #name: string;
  readonly #link: Link;
  readonly #client: HomeClient;
  /** Milliseconds since 1970, when the house last said anything. */
  lastHeardAt: number = Date.now();
  #ending: Ending | undefined;
  /** What the message that is being read has turned out to be so far. */
  #worth: "answer" | "event" | "unasked" = "unasked";
  /** Those who wait for a subscription: the client leaves them waiting when the socket closes. */
  readonly #waiting = new Set<() => void>();

  /** Rejects with a ZaguanError, and leaves nothing behind. The client is loaded here: most hubs have no house. */
  static async open(
    options: HomeAssistantOptions,
    name: string,
    clock: Clock,
    signal: CancelSignal,
  ): Promise<HomeLine> {
    const { createConnection } = await import("home-assistant-js-websocket");
    const { link, inbox, version } = await enter(options, name, clock, signal);
    const socket = new LinkSocket(link, version);
    const client = await createConnection({ setupRetry: 0, createSocket: async () => socket.asBrowserSocket() });
    const line = new HomeLine(name, link, client, socket);
    inbox.take = (message) => line.#heard(message, socket);
    return line;
  }

  private constructor(name: string, link: Link, client: HomeClient, socket: LinkSocket) {
    this.#name = name;
    this.#link = link;
    this.#client = client;
    this.version = socket.haVersion;
    this.closed = link.closed.then((ending) => {
      this.#ending ??= ending;
      // First of all, so that the client does not begin to reconnect.
      client.close();
      socket.ended();
      for (const lose of this.#waiting) lose();
      return this.#ending;
    });
  }

  /**
   * Resolves with the result. Rejects with a Refusal if the house says no, else with a ZaguanError that says what is known of
   * the delivery.
   */
  async command(message: MessageBase, signal: CancelSignal): Promise<unknown> {
    if (signal.aborted) throw withDelivery(toZaguanError(signal.reason), "not_sent");
    if (!this.#client.connected) throw this.#gone();
    const { promise: given, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(withDelivery(toZaguanError(signal.reason), "unknown"));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([this.#client.sendMessagePromise<unknown>(message), given]);
    } catch (cause) {
      throw this.#explain(cause);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Resolves when the house has agreed, with what ends it: that never rejects, and need not be waited for. Rejects as `command`
   * does.
   */
  async subscribe(message: MessageBase, onEvent: (event: unknown) => void): Promise<() => Promise<void>> {
    if (!this.#client.connected) throw this.#gone();
    const { promise: lost, reject } = Promise.withResolvers<never>();
    const lose = (): void => reject(this.#gone());
    this.#waiting.add(lose);
    try {
      const hear = this.#subscriber(onEvent);
      const agreed = this.#client.subscribeMessage(hear, message, { resubscribe: false });
      const end = await Promise.race([agreed, lost]);
      return () => end().catch(() => {});
    } catch (cause) {
      throw this.#explain(cause);
    } finally {
      this.#waiting.delete(lose);
    }
  }

  /** Only the client knows what a message answers: it has forgotten that command then. A question is what it asks back for. */
  #heard(message: string, socket: LinkSocket): "answer" | "event" | "unasked" | "question" {
    this.lastHeardAt = Date.now();
    this.#worth = "unasked";
    const before = this.#client.commands.size;
    if (!socket.receive(message)) this.end("it sent what is no message of Home Assistant");
    if (this.#worth !== "unasked") return this.#worth;
    const now = this.#client.commands.size;
    if (now === before) return "unasked";
    return now < before ? "answer" : "question";
  }

  /** The first event answers the subscription: all states of a house come in it. */
  #subscriber(onEvent: (event: unknown) => void): (event: unknown) => void {
    let isFirst = true;
    return (event) => {
      this.#worth = isFirst ? "answer" : "event";
      isFirst = false;
      onEvent(event);
    };
  }

  /** Ends it for a reason of our own. */
  end(reason: string, obstacle?: Obstacle): void {
    this.#ending ??= { ...unfit(reason), obstacle };
    void this.#link.close();
  }

  close(): Promise<void> {
    this.#ending ??= CLOSED;
    return this.#link.close();
  }

  #gone(): ZaguanError {
    return unavailable(this.#name, this.#ending?.reason ?? "the connection is closed");
  }

  /** The client rejects with the house's own error object, or with another kind of object if the socket closed. */
  #explain(cause: unknown): Error {
    if (cause instanceof ZaguanError) return cause;
    if (cause === CONNECTION_LOST) return this.#gone();
    if (isObject(cause) && typeof cause["message"] === "string")
      return new Refusal(cause["message"], undefined, cause["code"]);
    return new ZaguanError("OUTCOME_UNKNOWN", {
      params: { source: this.#name },
      delivery: "unknown",
      cause: lostBy(cause),
    });
  }
}

function lostBy(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error("the connection was lost");
}
