/** A client of Home Assistant that hides nothing: what was sent, what came, frame by frame. For describing the wire. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { isModern } from "../version.ts";

/** A real Home Assistant (with `demo:` and the lamp of the salon) or the simulated one. */
export interface Wired {
  readonly url: string;
  readonly token: string;
  readonly version: string;
}

/** Whatever JSON can say: the wire has no types, a statement says what it expects. */
export type Told = ReturnType<typeof JSON.parse>;

export interface RestAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Told;
}

/** A real one may take its time: its recorder writes every five seconds. */
const PATIENCE_MS = 25_000;

export async function until<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(4)) {
    const found = await look();
    if (found) return found;
  }
  return assert.fail(`never: ${what}`);
}

export class WireClient {
  readonly home: Wired;
  readonly modern: boolean;
  readonly #sockets: WireSocket[] = [];

  constructor(home: Wired) {
    this.home = home;
    this.modern = isModern(home.version);
  }

  async rest(method: string, path: string, body?: unknown, authorization?: string): Promise<RestAnswer> {
    const headers = { authorization: authorization ?? `Bearer ${this.home.token}` };
    const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${this.home.url}${path}`, { method, headers, body: text });
    const answer = await response.text();
    const type = response.headers.get("content-type");
    const json = type === "application/json" ? JSON.parse(answer) : undefined;
    return { status: response.status, type, headers: response.headers, text: answer, json };
  }

  /** The states that changed meanwhile. */
  async call(domain: string, service: string, data: object): Promise<Told[]> {
    const answer = await this.rest("POST", `/api/services/${domain}/${service}`, data);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  async state(entityId: string): Promise<Told> {
    return (await this.rest("GET", `/api/states/${entityId}`)).json;
  }

  async open(): Promise<WireSocket> {
    const socket = new WireSocket(`${this.home.url.replace("http", "ws")}/api/websocket`);
    this.#sockets.push(socket);
    await socket.next((message) => message.type === "auth_required");
    return socket;
  }

  async login(): Promise<WireSocket> {
    const socket = await this.open();
    socket.send({ type: "auth", access_token: this.home.token });
    await socket.next((message) => message.type === "auth_ok");
    return socket;
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.close();
  }
}

export class WireSocket {
  /** As they came: a frame is one message or an array of them. */
  readonly frames: Told[] = [];
  readonly #socket: WebSocket;
  #lastId = 0;
  #closed: number | undefined;

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on("message", (data) => this.frames.push(JSON.parse(data.toString())));
    this.#socket.on("error", () => {});
    this.#socket.on("close", (code) => {
      this.#closed = code;
    });
  }

  get messages(): Told[] {
    return this.frames.flat();
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Gives it an id and waits for what is said about that id first. */
  async ask(message: object): Promise<Told> {
    const id = this.give(message);
    return this.next((told) => told.id === id && told.type !== "event");
  }

  give(message: object): number {
    this.#lastId += 1;
    this.send({ id: this.#lastId, ...message });
    return this.#lastId;
  }

  async result(message: object): Promise<Told> {
    const { success, result, error } = await this.ask(message);
    assert.ok(success, JSON.stringify(error));
    return result;
  }

  async failure(message: object): Promise<Told> {
    const { success, error } = await this.ask(message);
    assert.equal(success, false);
    return error;
  }

  next(wanted: (message: Told) => boolean): Promise<Told> {
    return until("such a message", () => this.messages.find(wanted));
  }

  closeCode(): Promise<number> {
    return until("the socket closes", () => this.#closed);
  }

  close(): void {
    this.#socket.terminate();
  }
}
