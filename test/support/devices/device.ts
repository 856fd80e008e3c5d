/** A device that has dialled in: after the hellos it answers what it is asked, over its socket and in its own form. */
import type { Message } from "../line-rpc.ts";
import { DeviceSocket, HELLO, HELLO_LIMIT_MS, type SocketOptions } from "./device-socket.ts";
import type { Form, Frames, Kept } from "./frames.ts";
import type { McpSide } from "./mcp-side.ts";

export interface DeviceOptions extends SocketOptions {
  /** Of its own frames; it reads all forms. @default envelope */
  readonly form?: Form;
  /** In the place of its own. */
  readonly hello?: object;
  /** @default 10 s, as in the real things */
  readonly helloLimitMs?: number;
  /** Between any two answers it says something else, and sends sound. */
  readonly isNoisy?: boolean;
  /** What a device does that is not right: it is given the question and what a right one would say to it. */
  readonly misbehave?: Misbehaviour;
}

/** Undefined for silence. */
export type Misbehaviour = (
  question: Message,
  answer: () => Promise<string | undefined>,
) => Promise<string | undefined> | string | undefined;

/** How its kind writes the envelope. */
export type Envelope = (payload: string, sessionId: string) => string;

export class Device<Side extends McpSide> {
  readonly mcp: Side;
  readonly socket: DeviceSocket;
  /** Undefined before it came. */
  serverHello: Message;
  readonly #options: DeviceOptions;
  readonly #envelope: Envelope;

  /** Resolves after the server's hello; rejects without one, and hangs up. */
  static async dial<Side extends McpSide>(
    mcp: Side,
    envelope: Envelope,
    options: DeviceOptions,
  ): Promise<Device<Side>> {
    let device: Device<Side> | undefined;
    const socket = await DeviceSocket.open(options, (kept) => void device?.take(kept));
    device = new Device(mcp, envelope, socket, options);
    try {
      device.serverHello = await socket.hello(options.hello ?? HELLO, options.helloLimitMs ?? HELLO_LIMIT_MS);
    } catch (error) {
      await socket.cut();
      throw error;
    }
    return device;
  }

  private constructor(mcp: Side, envelope: Envelope, socket: DeviceSocket, options: DeviceOptions) {
    this.mcp = mcp;
    this.socket = socket;
    this.#options = options;
    this.#envelope = envelope;
  }

  get id(): string {
    return this.socket.deviceId;
  }

  get frames(): Frames {
    return this.socket.frames;
  }

  /** The requests that reached it, by method. */
  asked(method: string): Message[] {
    return this.frames.asked(method);
  }

  close(): Promise<void> {
    return this.socket.close();
  }

  cut(): Promise<void> {
    return this.socket.cut();
  }

  async take({ payload }: Kept): Promise<void> {
    if (payload?.method === undefined) return;
    const right = (): Promise<string | undefined> => this.mcp.answer(payload);
    const { misbehave } = this.#options;
    const answer = await (misbehave ? misbehave(payload, right) : right());
    if (this.#options.isNoisy && this.#isOpen()) this.socket.makeNoise();
    if (answer !== undefined && this.#isOpen()) this.socket.sendText(this.#framed(answer));
  }

  #isOpen(): boolean {
    return this.socket.socket.readyState === this.socket.socket.OPEN;
  }

  #framed(payload: string): string {
    const { form = "envelope" } = this.#options;
    if (form === "bare") return payload;
    return form === "envelope" ? this.#envelope(payload, this.socket.sessionId) : `{"type":"mcp","payload":${payload}}`;
  }
}
