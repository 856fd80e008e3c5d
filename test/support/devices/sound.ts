/** What a voice device and its server say beside MCP: frames of sound in three versions, and messages of other types. */

/** Not Opus that anybody could hear; nobody who speaks only MCP looks into it. */
const SOUND: Buffer = Buffer.from("f8fffe0001020304050607", "hex");

/** Binary frames as protocol versions 1, 2 and 3 make them. */
export const SOUND_FRAMES: readonly Buffer[] = [SOUND, secondVersion(), thirdVersion()];

/** What devices say. */
export const DEVICE_FRAMES: readonly object[] = [
  { type: "listen", state: "start", mode: "auto" },
  { type: "listen", state: "detect", text: "你好小智" },
  { type: "listen", state: "stop" },
  { type: "abort", reason: "wake_word_detected" },
  { type: "iot", states: [] },
  { type: "goodbye" },
];

/** What their servers say. */
export const SERVER_FRAMES: readonly object[] = [
  { type: "stt", text: "开灯" },
  { type: "tts", state: "start" },
  { type: "tts", state: "sentence_start", text: "好的" },
  { type: "llm", emotion: "happy", text: "😀" },
  { type: "tts", state: "stop" },
  { type: "system", command: "reboot" },
  { type: "alert", status: "Warning", message: "Battery low", emotion: "sad" },
  { type: "custom", payload: { jsonrpc: "2.0", id: 1, method: "ping" } },
];

/** Every property of it is as wrong as can be, and none of it is MCP. */
export const STRANGE_FRAMES: readonly object[] = [
  { type: "no such type" },
  { type: 7 },
  { type: null, payload: {} },
  { type: "mcp" },
  { type: "mcp", payload: {} },
  { type: "mcp", payload: null },
];

/** {u16 version, u16 type, u32 reserved, u32 timestamp, u32 length} */
function secondVersion(): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt16BE(2, 0);
  head.writeUInt32BE(SOUND.length, 12);
  return Buffer.concat([head, SOUND]);
}

/** {u8 type, u8 reserved, u16 length} */
function thirdVersion(): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(SOUND.length, 2);
  return Buffer.concat([head, SOUND]);
}
