/** A WebSocket server of its own for each of the far ends that are dialled; who dialled is kept, refused or not. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

export interface Dial {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** In milliseconds of our own clock. */
  readonly at: number;
}

export interface Reception {
  /** An HTTP status to refuse with; undefined to let it in. */
  refusal?(dial: Dial): number | undefined;
  welcome(socket: WebSocket, dial: Dial): void;
}

export class Listening {
  /** Every attempt. */
  readonly dials: Dial[] = [];
  readonly #server: Server = createServer((_request, response) => void response.writeHead(404).end());
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  static async start(reception: Reception, port = 0): Promise<Listening> {
    const listening = new Listening(reception);
    listening.#server.listen(port, "127.0.0.1");
    await once(listening.#server, "listening");
    return listening;
  }

  private constructor(reception: Reception) {
    this.#server.on("upgrade", (request, socket, head) => {
      const dial = this.#keep(request);
      const refusal = reception.refusal?.(dial);
      if (refusal === undefined) {
        this.#sockets.handleUpgrade(request, socket, head, (opened) => reception.welcome(opened, dial));
      } else refuse(socket, refusal);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** Cuts every connection without a word, and stays. */
  cutAll(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.cutAll();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  #keep({ url = "/", headers }: IncomingMessage): Dial {
    const { pathname: path, searchParams: query } = new URL(url, "ws://far.end");
    const dial = { path, query, headers, at: performance.now() };
    this.dials.push(dial);
    return dial;
  }
}

function refuse(socket: Duplex, status: number): void {
  socket.on("error", () => {});
  socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
