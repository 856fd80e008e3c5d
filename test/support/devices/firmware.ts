/** A voice box with the firmware's ways: it keeps the session's id and says it in every envelope, and it is never quiet. */
import { Device, type DeviceOptions } from "./device.ts";
import { HELLO } from "./device-socket.ts";
import { FirmwareMcp } from "./firmware-mcp.ts";
import { type DeviceTool, voiceBoxTools } from "./tools.ts";

export type FirmwareDevice = Device<FirmwareMcp>;

export interface FirmwareOptions extends DeviceOptions {
  /** @default those of a voice box */
  readonly tools?: readonly DeviceTool[];
}

/** With what newer boards add. */
const FIRMWARE_HELLO = { ...HELLO, features: { mcp: true, aec: true, glyph_push: true }, text_font: { size: 16 } };

export function dialFirmware({ tools = voiceBoxTools(), ...options }: FirmwareOptions): Promise<FirmwareDevice> {
  return Device.dial(new FirmwareMcp(tools), envelope, { hello: FIRMWARE_HELLO, isNoisy: true, ...options });
}

function envelope(payload: string, sessionId: string): string {
  return `{"session_id":"${sessionId}","type":"mcp","payload":${payload}}`;
}
