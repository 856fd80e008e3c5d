/**
 * Devices that say anything: every frame is followed by a probe and judged by what comes back, while the hub's own questions
 * are answered well, badly or not at all.
 */
import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type RawData, WebSocket } from "ws";
import { type DeviceFrame, deviceAnswer, deviceFrame, rightAnswer } from "./fuzz-device-frames.ts";
import { keyOf } from "./readings.ts";
import type { Random } from "./seed.ts";
import type { Spoken } from "./socket-client.ts";

const BAD_UTF8 = 1007;
const TOO_BIG = 1009;
/** The hub's own limit of a frame at the devices' door. */
const MOST_BYTES = 10_485_760;
const TOOL = { name: "fuzz.say", description: "x", inputSchema: { type: "object", properties: {} } };
const RESULTS: Readonly<Record<string, unknown>> = {
  initialize: { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } },
  "tools/list": { tools: [TOOL] },
  "tools/call": { content: [{ type: "text", text: "said" }] },
};

/** An answer of the hub. */
interface Heard {
  readonly form: "bare" | "envelope" | "hello";
  readonly said: Spoken | readonly Spoken[];
}

/** Keeps as many devices as are in use at once. */
export class DeviceFuzz {
  readonly #url: string;
  readonly #random: Random;
  readonly #free: FuzzDevice[] = [];
  #opened = 0;

  constructor(url: string, random: Random) {
    this.#url = `${url.replace("http", "ws")}/xiaozhi/v1/`;
    this.#random = random;
  }

  /** Sends the next one. */
  async send(n: number): Promise<void> {
    const device = this.#free.pop() ?? (await this.#open());
    if (device.isHonest) await this.#sendJudged(device, n);
    else await this.#sendSome(device, n);
  }

  /** The name under which some device's tool can be called, as far as it was understood. */
  someTool(): string {
    return `device-fuzz-${this.#random.int(this.#opened + 1)}__${TOOL.name}`;
  }

  close(): void {
    for (const device of this.#free) device.leave();
  }

  async #sendJudged(device: FuzzDevice, n: number): Promise<void> {
    const frame = deviceFrame(this.#random, n, device.isDevice);
    device.send(frame.bytes, frame.isBinary);
    const ending = endingOf(frame);
    if (ending !== undefined) assert.equal(await device.closed, ending, told(frame));
    else {
      await judge(device, frame);
      const [least, most] = frame.answers;
      // What may be answered may be answered late. Some leave without a reason.
      if (least === most && !this.#random.chance(20)) this.#free.push(device);
      else device.leave();
    }
  }

  /** It is not waited for what it says itself, but for the hub. */
  async #sendSome(device: FuzzDevice, n: number): Promise<void> {
    for (let frames = this.#random.int(4); frames >= 0; frames--) {
      const frame = deviceFrame(this.#random, n, true);
      if (endingOf(frame) !== undefined) continue;
      device.send(frame.bytes, frame.isBinary);
      await untilProbed(device, () => {});
    }
    device.leave();
  }

  #open(): Promise<FuzzDevice> {
    const isDevice = !this.#random.chance(3);
    return FuzzDevice.open(`${this.#url}?device-id=fuzz-${this.#opened++}`, this.#random, isDevice);
  }
}

class FuzzDevice {
  readonly isDevice: boolean;
  /** Whoever lists tools waits a little for one that does not tell its own, and so do those who ask the hub in vain. */
  readonly isHonest: boolean;
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #random: Random;
  readonly #heard: Heard[] = [];
  #wake: () => void = () => {};

  static async open(url: string, random: Random, isDevice: boolean): Promise<FuzzDevice> {
    const device = new FuzzDevice(url, random, isDevice);
    await once(device.#socket, "open");
    const features = isDevice ? { mcp: true } : {};
    device.send(Buffer.from(JSON.stringify({ type: "hello", version: 1, features, transport: "websocket" })));
    assert.equal((await device.next()).form, "hello");
    return device;
  }

  private constructor(url: string, random: Random, isDevice: boolean) {
    this.isDevice = isDevice;
    this.isHonest = !isDevice || !random.chance(3);
    this.#random = random;
    this.#socket = new WebSocket(url, { perMessageDeflate: false });
    this.#socket.on("message", (data) => this.#take(data)).on("error", () => {});
    this.closed = new Promise((resolve) => this.#socket.on("close", resolve));
    void this.closed.then(() => this.#wake());
  }

  send(bytes: Buffer, binary = false): void {
    this.#socket.send(bytes, { binary });
  }

  /** The next answer that has not been asked for yet. */
  async next(): Promise<Heard> {
    for (;;) {
      const heard = this.#heard.shift();
      if (heard) return heard;
      assert.equal(this.#socket.readyState, WebSocket.OPEN, "the hub hung up");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  leave(): void {
    this.#socket.terminate();
  }

  #take(data: RawData): void {
    const frame = JSON.parse(String(data)) as { readonly type?: string; readonly payload?: Spoken } & Spoken;
    const said = frame.type === "mcp" ? (frame.payload as Spoken) : frame;
    if (said.method !== undefined) this.#asked(said);
    else {
      this.#heard.push({ form: frame.type === "mcp" ? "envelope" : frame.type === "hello" ? "hello" : "bare", said });
      this.#wake();
    }
  }

  #asked({ id, method = "" }: Spoken): void {
    if (id === undefined) return;
    const result = RESULTS[method] ?? {};
    const isSpoilt = method === "tools/call" || !this.isHonest;
    const answer = isSpoilt ? deviceAnswer(this.#random, id, result) : rightAnswer(id, result);
    if (answer && isUtf8(answer) && this.#socket.readyState === WebSocket.OPEN) this.send(answer);
  }
}

/** The code with which a frame ends the connection: one that is too large, and text that is none. */
function endingOf({ bytes, isBinary }: DeviceFrame): number | undefined {
  if (bytes.length > MOST_BYTES) return TOO_BIG;
  return isBinary || isUtf8(bytes) ? undefined : BAD_UTF8;
}

async function judge(device: FuzzDevice, frame: DeviceFrame): Promise<void> {
  const [least, most] = frame.answers;
  for (let count = 0; count < least; count++) assertAnswers(frame, await nextOf(device));
  let more = most - least;
  await untilProbed(device, (heard) => {
    assert.ok(more-- > 0, `${told(frame)} was answered ${JSON.stringify(heard).slice(0, 300)}`);
  });
}

/** The hub still answers: what comes before that is told. */
async function untilProbed(device: FuzzDevice, onOther: (heard: Heard) => void): Promise<void> {
  const probe = `probe ${randomUUID()}`;
  const ping = { session_id: "", type: "mcp", payload: { jsonrpc: "2.0", id: probe, method: "ping" } };
  device.send(Buffer.from(JSON.stringify(ping)));
  const isProbe = ({ said }: Heard): boolean => (said as Spoken).id === probe;
  for (let heard = await nextOf(device); !isProbe(heard); heard = await nextOf(device)) onOther(heard);
}

/** An answer that is owed comes in the form of the question and under its id, or under none if that was unfit. */
function assertAnswers({ form, key, ...frame }: DeviceFrame, heard: Heard): void {
  const words = `${told({ form, key, ...frame })} was answered ${JSON.stringify(heard).slice(0, 300)}`;
  if (form !== "any") assert.equal(heard.form, form, words);
  const ids = [heard.said].flat().map(({ id }) => id);
  const areItsOwn = ids.every((id) => id === null || key === undefined || keyOf(id) === key);
  assert.ok(areItsOwn, words);
}

async function nextOf(device: FuzzDevice): Promise<Heard> {
  const heard = await device.next();
  assert.ok(!JSON.stringify(heard).includes('"code":"INTERNAL"'), JSON.stringify(heard));
  return heard;
}

function told({ bytes }: DeviceFrame): string {
  return String(bytes.subarray(0, 500));
}
