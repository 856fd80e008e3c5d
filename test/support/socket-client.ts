/** A WebSocket client for tests: what came is kept, and the way it ended. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type ClientOptions, WebSocket } from "ws";

export interface SocketClient {
  readonly socket: WebSocket;
  readonly received: string[];
  readonly closed: Promise<number>;
  send(message: string | object): void;
  /** The next message that has not been asked for yet. */
  next(): Promise<string>;
  ask(message: string | object): Promise<Spoken>;
}

export interface Spoken {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** Rejects if there is no 101. */
export async function openSocket(
  url: string,
  options: ClientOptions & { offered?: string[] } = {},
): Promise<SocketClient> {
  const { offered = [], ...rest } = options;
  const socket = new WebSocket(url.replace("http", "ws"), offered, rest);
  const received: string[] = [];
  socket.on("message", (data) => received.push(String(data)));
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  await once(socket, "open");
  socket.on("error", () => {});
  let taken = 0;
  const next = async (): Promise<string> => {
    const place = taken++;
    while (received.length <= place) {
      if (socket.readyState === WebSocket.CLOSED) throw new Error("the socket was closed");
      await something(socket);
    }
    return received[place] as string;
  };
  const send = (message: string | object): void =>
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
  return {
    socket,
    received,
    closed,
    send,
    next,
    ask: async (message) => {
      send(message);
      for (;;) {
        const spoken = JSON.parse(await next()) as Spoken;
        if (!isNotification(spoken)) return spoken;
      }
    },
  };
}

/** The plain answer to an upgrade that is refused. */
export function refusal(url: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace("http", "ws"), { headers });
    socket.on("open", () => {
      socket.terminate();
      reject(new Error("the upgrade was not refused"));
    });
    socket.on("error", reject);
    socket.on("unexpected-response", (_, response: IncomingMessage) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
  });
}

function something(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const come = (): void => {
      socket.off("message", come).off("close", come);
      resolve();
    };
    socket.on("message", come).on("close", come);
  });
}

/** The hub may say at any time that its tools have changed. */
function isNotification(spoken: object): boolean {
  return "method" in spoken && !("id" in spoken);
}
