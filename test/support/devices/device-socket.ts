/**
 * A socket as a device opens it: who it is in headers or in the query, its hello and the wait for the other's, messages
 * in any form. It answers nothing by itself; `device.ts` does.
 */
import { once } from "node:events";
import { type ClientOptions, WebSocket } from "ws";
import type { Message } from "../line-rpc.ts";
import { type Form, Frames, framed, type Kept } from "./frames.ts";
import { DEVICE_FRAMES, SOUND_FRAMES } from "./sound.ts";

export interface Identity {
  /** @default one that no other has */
  readonly deviceId?: string | undefined;
  readonly clientId?: string;
  /** As it is set in the device; "Bearer " is put before it only if there is no blank in it. */
  readonly token?: string;
  /** How it says so; "nowhere" says nothing. @default headers */
  readonly saidIn?: "headers" | "query" | "nowhere";
}

export interface SocketOptions extends Identity {
  /** Where the server is: `http://HOST:PORT` or `ws://HOST:PORT`. */
  readonly url: string;
  /** @default /xiaozhi/v1/ */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly socket?: ClientOptions;
}

/** Firmware and desktop client alike. */
export const HELLO_LIMIT_MS = 10_000;

const OPUS = { format: "opus", sample_rate: 16_000, channels: 1, frame_duration: 60 };
export const HELLO = {
  type: "hello",
  version: 1,
  features: { mcp: true },
  transport: "websocket",
  audio_params: OPUS,
} as const;

/** The hello of somebody who wants to call and has nothing to offer. */
export const CALLERS_HELLO = { ...HELLO, features: {} };

let devices = 0;

/** A MAC address that no other device of this test has. */
export function newDeviceId(): string {
  const number = (++devices).toString(16).padStart(6, "0");
  return `a0:76:4e:${number.match(/../g)?.join(":")}`;
}

export class DeviceSocket {
  readonly deviceId: string;
  readonly frames: Frames;
  readonly socket: WebSocket;
  /** As the server's hello gave it. */
  sessionId = "";
  #lastId = 1_000;

  /** Rejects if there is no 101. */
  static async open(options: SocketOptions, onFrame?: (kept: Kept) => void): Promise<DeviceSocket> {
    const device = new DeviceSocket(options, onFrame);
    await once(device.socket, "open");
    return device;
  }

  private constructor(options: SocketOptions, onFrame?: (kept: Kept) => void) {
    this.deviceId = options.deviceId ?? newDeviceId();
    const { url, headers } = addressed(options, this.deviceId);
    const more = { perMessageDeflate: false, ...options.socket };
    this.socket = new WebSocket(url, { headers: { ...headers, ...options.headers }, ...more });
    this.frames = new Frames(this.socket, (kept) => {
      if (isHello(kept) && typeof kept.frame.session_id === "string") this.sessionId = kept.frame.session_id;
      onFrame?.(kept);
    });
  }

  /** Says hello and gives back the server's; one that is not for us is not seen. Fails as the real thing does. */
  async hello(hello: object = HELLO, limitMs: number = HELLO_LIMIT_MS): Promise<Message> {
    const from = this.frames.all.length;
    this.sendText(JSON.stringify(hello));
    return (await this.frames.first("the server's hello", isHello, from, limitMs)).frame;
  }

  send(payload: unknown, form: Form = "envelope"): void {
    this.sendText(framed(payload, form, this.sessionId));
  }

  sendText(text: string | Buffer): void {
    this.socket.send(text, { binary: typeof text !== "string" });
  }

  /** A request of its own, and the frame that answers it. */
  async ask(payload: Message, form: Form = "envelope"): Promise<Kept> {
    const from = this.frames.all.length;
    this.send(payload, form);
    return this.frames.answer(payload.id, from);
  }

  /** The same with everything around it, and only what is said in the answer. */
  async request(method: string, params?: unknown, form: Form = "envelope"): Promise<Message> {
    const id = ++this.#lastId;
    return (await this.ask({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) }, form)).payload;
  }

  async call(name: string, args: object = {}, form: Form = "envelope"): Promise<Message> {
    return (await this.request("tools/call", { name, arguments: args }, form)).result;
  }

  /** What it says besides, sound among it. */
  makeNoise(): void {
    for (const frame of SOUND_FRAMES) this.sendText(frame);
    for (const frame of DEVICE_FRAMES) this.sendText(JSON.stringify({ session_id: this.sessionId, ...frame }));
  }

  async close(): Promise<void> {
    this.socket.close(1000);
    await this.frames.closed;
  }

  /** Without a word, as when the power fails. */
  async cut(): Promise<void> {
    this.socket.terminate();
    await this.frames.closed;
  }
}

/** All that a device looks for in it. */
function isHello({ frame }: Kept): boolean {
  return frame?.type === "hello" && frame.transport === "websocket";
}

function addressed(options: SocketOptions, deviceId: string): { url: string; headers: Record<string, string> } {
  const { url, path = "/xiaozhi/v1/", clientId = "5f1c3b0e-0000-4000-8000-000000000001", token = "" } = options;
  const { saidIn = "headers" } = options;
  const authorization = token === "" || token.includes(" ") ? token : `Bearer ${token}`;
  const said = { "device-id": deviceId, "client-id": clientId, ...(authorization !== "" && { authorization }) };
  const place = new URL(path, url.replace(/^http/, "ws"));
  if (saidIn === "nowhere") return { url: place.href, headers: {} };
  if (saidIn === "headers") return { url: place.href, headers: { "Protocol-Version": "1", ...titled(said) } };
  for (const [name, value] of Object.entries(said)) place.searchParams.set(name, value);
  return { url: place.href, headers: {} };
}

/** `Device-Id`, as the firmware writes it. */
function titled(headers: Readonly<Record<string, string>>): Record<string, string> {
  const title = (name: string): string => name.replace(/(^|-)[a-z]/g, (first) => first.toUpperCase());
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [title(name), value]));
}
