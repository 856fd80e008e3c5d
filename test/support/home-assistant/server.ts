/** HTTP and WebSocket on one port, as Home Assistant has them. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { send } from "./answers.ts";
import type { House } from "./house.ts";
import { answerRest } from "./rest.ts";
import { Session } from "./session.ts";
import { Wires } from "./wires.ts";

const AUTH_WITHIN_MS = 10_000;
const NORMAL_CLOSURE = 1000;

export interface ServerOptions {
  readonly port: number;
  readonly token: string;
  readonly coalesce: boolean;
}

export class HomeServer {
  readonly wires: Wires = new Wires();
  readonly #house: House;
  readonly #options: ServerOptions;
  readonly #server: Server;
  /** Pongs are ours to give: in the black hole there are none. */
  readonly #upgrader = new WebSocketServer({ noServer: true, autoPong: false });

  constructor(house: House, options: ServerOptions) {
    this.#house = house;
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("connection", (socket) => this.wires.add(socket));
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket as Socket, head));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(this.#options.port, "127.0.0.1", resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.wires.cut();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.wires.muted) return void request.resume();
    const body = await readAll(request);
    if (body === undefined || this.wires.muted) return;
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    const asked = { method: request.method ?? "GET", url, authorization: request.headers.authorization, body };
    send(answerRest(this.#house, this.#options.token, asked), this.#house.modern, request, response);
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    if (this.wires.muted) return void this.wires.addWebSocket(socket);
    const { pathname } = new URL(request.url ?? "/", "http://home");
    if (pathname !== "/api/websocket") return void socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    this.#upgrader.handleUpgrade(request, socket, head, (accepted) => {
      this.wires.addWebSocket(socket);
      this.#open(accepted, socket);
    });
  }

  #open(socket: WebSocket, wire: Socket): void {
    const session = new Session(this.#house, this.#options.token, this.#options.coalesce, {
      send: (text) => this.wires.isLost(wire) || socket.send(text),
      close: () => socket.close(NORMAL_CLOSURE),
    });
    const late = setTimeout(() => session.authenticated || socket.close(NORMAL_CLOSURE), AUTH_WITHIN_MS);
    socket.on("ping", (data) => socket.pong(data));
    socket.on("message", (data, isBinary) => isBinary || session.receive(data.toString()));
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(late);
      session.end();
    });
  }
}

/** Undefined if the client left in the middle. */
async function readAll(request: IncomingMessage): Promise<string | undefined> {
  try {
    return Buffer.concat(await request.toArray()).toString();
  } catch {
    return undefined;
  }
}
