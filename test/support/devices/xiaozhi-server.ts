/**
 * A voice server of one's own, to which devices dial, and we as one of them: hello, then MCP in envelopes that have no
 * session's id; `initialize` is always 1, every page of the list 2, and calls count from 1 again.
 */
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import type { Message } from "../line-rpc.ts";
import { until } from "../processes.ts";
import { Frames, framed, type Kept, PATIENCE_MS } from "./frames.ts";
import { type Dial, Listening } from "./listening.ts";
import { SERVER_FRAMES, SOUND_FRAMES } from "./sound.ts";

export interface ServerOptions {
  readonly port?: number;
  /** How a device's hello is answered; "wrong" is one that no device takes for an answer. @default right */
  readonly hello?: "right" | "wrong" | "none";
  /** Between its hello and the list the real one waits a second. @default 1000 */
  readonly settleMs?: number;
  /** Of all that it says, every second frame is something else. @default true */
  readonly isNoisy?: boolean;
}

/** What the model is told when a failure brings no text where this server looks for one. */
export const NO_REASON = "工具调用返回错误，但未提供具体错误信息";

export class XiaozhiServer {
  readonly links: ServerLink[] = [];
  #listening: Listening | undefined;
  #taken = 0;

  static async start(options: ServerOptions = {}): Promise<XiaozhiServer> {
    const server = new XiaozhiServer();
    const welcome = (socket: WebSocket, dial: Dial): void => {
      const link = new ServerLink(socket, dial, options);
      if (link.deviceId === undefined) socket.close();
      else server.links.push(link);
    };
    const refusal = ({ path }: Dial): number | undefined => (path === "/xiaozhi/v1/" ? undefined : 404);
    server.#listening = await Listening.start({ refusal, welcome }, options.port);
    return server;
  }

  get port(): number {
    return this.#server.port;
  }

  get dials(): readonly Dial[] {
    return this.#server.dials;
  }

  /** Without the path, for devices of ours; with it, for a configuration. */
  get origin(): string {
    return this.#server.url;
  }

  get url(): string {
    return `${this.origin}/xiaozhi/v1/`;
  }

  /** The next device whose tools are known, each once. */
  async next(): Promise<ServerLink> {
    let found: ServerLink | undefined;
    await until(
      "a device dials and tells its tools",
      () => {
        found = this.links.slice(this.#taken).find(({ tools }) => tools !== undefined);
        return found !== undefined;
      },
      PATIENCE_MS,
    );
    this.#taken = this.links.indexOf(found as ServerLink) + 1;
    return found as ServerLink;
  }

  cutAll(): void {
    this.#server.cutAll();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  get #server(): Listening {
    if (!this.#listening) throw new Error("the server was not started");
    return this.#listening;
  }
}

/** One device that dialled. */
export class ServerLink {
  readonly dial: Dial;
  readonly frames: Frames;
  readonly socket: WebSocket;
  /** Undefined before it came. */
  hello: Message;
  initialized: Message;
  /** Undefined until the last page is there. */
  tools: Message[] | undefined;
  /** Every page as it came. */
  readonly pages: Kept[] = [];
  readonly #options: ServerOptions;
  #lastCall = 0;

  constructor(socket: WebSocket, dial: Dial, options: ServerOptions) {
    this.dial = dial;
    this.socket = socket;
    this.#options = options;
    this.frames = new Frames(socket, ({ frame }) => {
      if (frame?.type === "hello") this.#greet(frame);
    });
  }

  get deviceId(): string | undefined {
    return this.#said("device-id");
  }

  get clientId(): string | undefined {
    return this.#said("client-id");
  }

  get authorization(): string | undefined {
    return this.#said("authorization");
  }

  send(payload: object): void {
    if (this.#options.isNoisy ?? true) this.makeNoise();
    this.socket.send(framed(payload, "envelope without session"));
  }

  makeNoise(): void {
    for (const frame of SOUND_FRAMES) this.socket.send(frame);
    for (const frame of SERVER_FRAMES) this.socket.send(JSON.stringify(frame));
  }

  async ask(payload: Message): Promise<Kept> {
    const from = this.frames.all.length;
    this.send({ jsonrpc: "2.0", ...payload });
    return this.frames.answer(payload.id, from);
  }

  async call(name: string, args: object = {}): Promise<Message> {
    const params = { name, arguments: args };
    return (await this.ask({ id: ++this.#lastCall, method: "tools/call", params })).payload;
  }

  /** What reaches the model, which is not always what the tool said. */
  async tellModel(name: string, args: object = {}): Promise<string> {
    const { result, error } = await this.call(name, args);
    if (error) return `error: ${error.message}`;
    return result?.isError === true ? (result.error ?? NO_REASON) : result?.content?.[0]?.text;
  }

  #greet(hello: Message): void {
    this.hello = hello;
    const { hello: callOptions = "right" } = this.#options;
    if (callOptions === "none") return;
    const transport = callOptions === "right" ? "websocket" : "udp";
    const answer = { type: "hello", version: 1, transport, session_id: randomUUID(), audio_params: hello.audio_params };
    this.socket.send(JSON.stringify(answer));
    if (callOptions === "right" && hello.features?.mcp) void this.#explore().catch(() => {});
  }

  /** `initialize` goes out right behind the hello. */
  async #explore(): Promise<void> {
    const vision = { url: "http://127.0.0.1:8003/mcp/vision/explain", token: "vision-token" };
    const capabilities = { roots: { listChanged: true }, sampling: {}, vision };
    const clientInfo = { name: "XiaozhiClient", version: "1.0.0" };
    const params = { protocolVersion: "2024-11-05", capabilities, clientInfo };
    this.initialized = (await this.ask({ id: 1, method: "initialize", params })).payload;
    await new Promise((resolve) => setTimeout(resolve, this.#options.settleMs ?? 1_000));
    await this.#list();
  }

  /** The first request has no params at all; a cursor comes with the next. */
  async #list(): Promise<void> {
    const tools: Message[] = [];
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { params: { cursor } };
      const page = await this.ask({ id: 2, method: "tools/list", ...params });
      this.pages.push(page);
      tools.push(...(page.payload.result?.tools ?? []));
      cursor = page.payload.result?.nextCursor;
    } while (cursor !== undefined && this.pages.length < 1_000);
    this.tools = tools;
  }

  #said(name: string): string | undefined {
    const header = this.dial.headers[name];
    return (typeof header === "string" ? header : undefined) ?? this.dial.query.get(name) ?? undefined;
  }
}
