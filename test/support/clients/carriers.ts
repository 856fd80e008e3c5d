/** Ways to carry messages both ways between a client and a hub. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { WebSocket } from "ws";
import { cleanEnvironment, zaguanCommand } from "../spawn-zaguan.ts";
import { HttpExchange } from "./http-exchange.ts";

export interface Carrier {
  send(message: string): void;
  /** Goes without a word. */
  leave(): void;
}

export type OpenCarrier = (onMessage: (message: string) => void) => Promise<Carrier>;

/** Leaving is a cut connection, without the goodbye of WebSocket. */
export function overWebSocket(url: string, key?: string): OpenCarrier {
  return async (onMessage) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const socket = new WebSocket(url.replace("http", "ws"), { headers });
    socket.on("message", (data) => onMessage(String(data)));
    await once(socket, "open");
    socket.on("error", () => {});
    return { send: (message) => socket.send(message), leave: () => socket.terminate() };
  };
}

/** @param url of the stream, which says where to post */
export function overHttpSse(url: string): OpenCarrier {
  return async (onMessage) => {
    const endpoint = Promise.withResolvers<string>();
    const stream = new HttpExchange({
      method: "GET",
      url,
      headers: { accept: "text/event-stream" },
      onData: (data, event) => (event === "endpoint" ? endpoint.resolve(data) : onMessage(data)),
    });
    void stream.ended.then(() => endpoint.reject(new Error("the stream ended before it said where to post")));
    const posting = new URL(await endpoint.promise, url).href;
    const send = (body: string): void => void new HttpExchange({ method: "POST", url: posting, body });
    return { send, leave: () => stream.hangUp() };
  };
}

/** A hub of its own, as a desktop client starts it. */
export class OwnHub {
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
  readonly pid: number;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;

  constructor(...args: readonly string[]) {
    const { command, args: words } = zaguanCommand("stdio", ...args);
    this.#child = spawn(command, words, { env: cleanEnvironment(), stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdin.on("error", () => {});
    this.pid = this.#child.pid ?? -1;
    this.ended = once(this.#child, "exit").then(([code]) => code as number | null);
  }

  /** Leaving is the death of the client: both of its pipes are gone. */
  readonly carrier: OpenCarrier = async (onMessage) => {
    const { stdin, stdout } = this.#child;
    createInterface({ input: stdout }).on("line", onMessage);
    const leave = (): void => {
      stdin.destroy();
      stdout.destroy();
    };
    return { send: (message) => stdin.write(`${message}\n`), leave };
  };

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** The orderly end: nothing more will be asked, answers are still read. */
  endInput(): void {
    this.#child.stdin.end();
  }
}
