/**
 * A voice box as small as it can be played: it says hello, answers `initialize`, `tools/list` and calls, and is then quiet
 * until it is pinged. All have the same tools under the same names, as real ones of one make do.
 */
import { WebSocket } from "ws";

export interface BoxEvents {
  /** The hub has been given its list of tools. */
  listed(): void;
  left(): void;
}

const HELLO = JSON.stringify({
  type: "hello",
  version: 1,
  features: { mcp: true },
  transport: "websocket",
  audio_params: { format: "opus", sample_rate: 16_000, channels: 1, frame_duration: 60 },
});

export const TOOLS = [
  tool(
    "self.get_device_status",
    "Provides the real-time information of the device, including the current status of the audio speaker, screen, battery, network, etc.\nUse this tool for: \n1. Answering questions about current condition (e.g. what is the current volume of the audio speaker?)\n2. As the first step to control the device (e.g. turn up / down the volume of the audio speaker, etc.)",
    {},
  ),
  tool(
    "self.audio_speaker.set_volume",
    "Set the volume of the audio speaker. If the current volume is unknown, you must call `self.get_device_status` tool first and then call this tool.",
    { volume: { type: "integer", minimum: 0, maximum: 100 } },
  ),
  tool("self.screen.set_brightness", "Set the brightness of the screen.", {
    brightness: { type: "integer", minimum: 0, maximum: 100 },
  }),
  tool("self.screen.set_theme", "Set the theme of the screen. The theme can be `light` or `dark`.", {
    theme: { type: "string" },
  }),
  tool(
    "self.camera.take_photo",
    "Take a photo and explain it. Use this tool after the user asks you to see something.",
    { question: { type: "string" } },
  ),
];

const RESULTS: Readonly<Record<string, string>> = {
  initialize: JSON.stringify({
    protocolVersion: "2024-11-05",
    capabilities: { tools: {} },
    serverInfo: { name: "bread-compact-wifi", version: "1.9.2" },
  }),
  "tools/list": JSON.stringify({ tools: TOOLS }),
  "tools/call": JSON.stringify({ content: [{ type: "text", text: "true" }], isError: false }),
};

export function bearer(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

export function deviceIdOf(number: number): string {
  const hex = number.toString(16).padStart(6, "0");
  return `a0:76:4e:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4)}`;
}

/** A WebSocket that dials the hub. It offers compression, so that it is seen whether that is taken up. */
export class Dialled {
  protected readonly socket: WebSocket;

  constructor(url: string, headers: Readonly<Record<string, string>>, events: BoxEvents) {
    this.socket = new WebSocket(url, { headers });
    this.socket.on("error", () => {});
    this.socket.on("close", () => events.left());
  }

  get isCompressed(): boolean {
    return this.socket.extensions !== "";
  }

  leave(): void {
    this.socket.close(1000);
  }
}

export class Box extends Dialled {
  constructor(url: string, number: number, events: BoxEvents, key?: string) {
    const device = { "Protocol-Version": "1", "Device-Id": deviceIdOf(number), "Client-Id": `box-${number}` };
    super(url, { ...device, ...bearer(key) }, events);
    this.socket.on("open", () => this.socket.send(HELLO));
    this.socket.on("message", (data) => this.#answer(String(data), events));
  }

  /** Without a word. */
  vanish(): void {
    this.socket.terminate();
  }

  #answer(text: string, { listed }: BoxEvents): void {
    const { session_id, type, payload } = JSON.parse(text) as Frame;
    const result = type === "mcp" ? RESULTS[payload.method] : undefined;
    if (result === undefined || payload.id === undefined) return;
    const answer = `{"jsonrpc":"2.0","id":${payload.id},"result":${result}}`;
    this.socket.send(`{"session_id":"${session_id}","type":"mcp","payload":${answer}}`);
    if (payload.method === "tools/list") listed();
  }
}

interface Frame {
  readonly session_id: string;
  readonly type: string;
  readonly payload: { readonly id?: number; readonly method: string };
}

function tool(name: string, description: string, properties: object): { readonly name: string } {
  const required = Object.keys(properties);
  const inputSchema = { type: "object", properties, ...(required.length > 0 && { required }) };
  return { name, description, inputSchema } as { readonly name: string };
}
