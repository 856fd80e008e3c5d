/**
 * A socket on which a device has said hello, as a pipe to the MCP server that the device is. The socket itself is a door's:
 * here only what belongs to this conversation comes and goes.
 */

import { ZaguanError } from "../../errors.ts";
import { CLOSED, type Ending } from "../../link/ending.ts";
import { type Link, type LinkHandlers, TAKEN } from "../../link/link.ts";

interface DeviceSocket {
  /** One JSON-RPC message, in whatever form the device wants it. False if nobody reads there any more. */
  send(message: string): boolean;
  /** Closes the socket with this reason. */
  close(reason: string): void;
}

export class DeviceChannel {
  readonly #name: string;
  readonly #socket: DeviceSocket;
  /** Of the life that listens now, and what ends it. */
  #handlers: LinkHandlers | undefined;
  #end: (ending: Ending) => void = () => {};
  /** Why the socket has ended, once it has. */
  #gone: Ending | undefined;

  constructor(name: string, socket: DeviceSocket) {
    this.#name = name;
    this.#socket = socket;
  }

  /** What the device says to us as its client; says what it was, as `LinkHandlers.onMessage`. */
  receive(message: string): unknown {
    return this.#handlers ? this.#handlers.onMessage(message) : "unasked";
  }

  /** The socket has ended. */
  left(reason: string): void {
    this.#gone ??= { kind: "closed", reason };
    this.#handlers = undefined;
    this.#end(this.#gone);
  }

  /** For good: another socket of the same device has come, or it is not wanted. */
  dismiss(reason: string): void {
    this.#socket.close(reason);
    this.left(reason);
  }

  /** One life of the source on this socket; the socket outlives it. */
  open(handlers: LinkHandlers): Link {
    this.#end(CLOSED);
    this.#handlers = handlers;
    const { promise: closed, resolve: end } = Promise.withResolvers<Ending>();
    this.#end = end;
    if (this.#gone !== undefined) end(this.#gone);
    return {
      send: (message) => this.#send(message),
      closed,
      close: async () => {
        if (this.#handlers === handlers) this.#handlers = undefined;
        end(CLOSED);
      },
    };
  }

  #send(message: string): Promise<void> {
    if (this.#gone === undefined && this.#socket.send(message)) return TAKEN;
    const params = { source: this.#name, reason: "the device has left" };
    return Promise.reject(new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" }));
  }
}
