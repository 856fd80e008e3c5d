/**
 * A desktop client with the ways of the real one: it never keeps the session's id, writes JSON as Python does, takes
 * frames of up to 10 MiB, and pings every 20 seconds; a ping that is not answered in as long ends the connection.
 */
import { Device, type DeviceOptions } from "./device.ts";
import { HELLO } from "./device-socket.ts";
import { PyXiaozhiMcp } from "./py-xiaozhi-mcp.ts";
import { type DeviceTool, infraredTool } from "./tools.ts";

export type PyXiaozhi = Device<PyXiaozhiMcp>;

export interface PyXiaozhiOptions extends DeviceOptions {
  /** @default the infrared tool of the seed */
  readonly tools?: readonly DeviceTool[];
  /** Between two pings. @default 20 s */
  readonly pingMs?: number;
  /** How long an answer to one may take. @default 20 s */
  readonly pongMs?: number;
}

const FRAME_LIMIT = 10 * 1_024 * 1_024;
const PY_HELLO = { ...HELLO, audio_params: { ...HELLO.audio_params, frame_duration: 20 } };

export async function dialPyXiaozhi(options: PyXiaozhiOptions): Promise<PyXiaozhi> {
  const { tools = [infraredTool()], pingMs = 20_000, pongMs = 20_000, ...rest } = options;
  const socket = { maxPayload: FRAME_LIMIT, handshakeTimeout: 5_000, ...rest.socket };
  const device = await Device.dial(new PyXiaozhiMcp(tools), envelope, { hello: PY_HELLO, ...rest, socket });
  keepAlive(device, pingMs, pongMs);
  return device;
}

/** `payload` is JSON inside of JSON that was read and written once more. */
function envelope(payload: string): string {
  return `{"session_id": "", "type": "mcp", "payload": ${payload}}`;
}

function keepAlive(device: PyXiaozhi, pingMs: number, pongMs: number): void {
  const { socket } = device.socket;
  let unanswered: NodeJS.Timeout | undefined;
  socket.on("pong", () => {
    clearTimeout(unanswered);
    unanswered = undefined;
  });
  const timer = setInterval(() => {
    unanswered ??= setTimeout(() => socket.terminate(), pongMs);
    socket.ping();
  }, pingMs);
  socket.on("close", () => {
    clearInterval(timer);
    clearTimeout(unanswered);
  });
}
