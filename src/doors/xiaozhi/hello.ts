/** The greeting of a device and its answer: before it, a server of the xiaozhi family asks nothing. */

/** Ours. No sound will follow, but servers look for what it would be like. */
export const HELLO: string = JSON.stringify({
  type: "hello",
  version: 1,
  features: { mcp: true },
  transport: "websocket",
  audio_params: { format: "opus", sample_rate: 16_000, channels: 1, frame_duration: 60 },
});

interface ServerHello {
  /** To be repeated in every envelope; "" where the server has none. */
  readonly sessionId: string;
}

/** @param text a frame of type hello. Undefined if it is none that a device takes for an answer: of another transport. */
export function readServerHello(text: string): ServerHello | undefined {
  const { transport, session_id } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (transport !== "websocket") return undefined;
  return { sessionId: typeof session_id === "string" ? session_id : "" };
}
