/**
 * How both ends of a dialled connection introduce themselves: our ids and our hello where we come as a device, the server's
 * hello, and the `initialize` with which the far end begins to call us.
 */
import { randomBytes, randomUUID } from "node:crypto";
import type { XiaozhiEndpointConfig } from "../../config/types.ts";
import { memberOf, type ScanLimits } from "../../protocol/json/scan.ts";
import { readMessage } from "../../protocol/json-rpc/message.ts";
import type { DocumentTable } from "../../store/store.ts";

/** A server that waits for devices knows them by these ids, so they are made once and kept. */
interface Identity {
  readonly deviceId: string;
  readonly clientId: string;
}

const COLLECTION = "xiaozhi";
const KEY = "device";

/** What goes with the handshake. */
export async function headersOf(
  endpoint: XiaozhiEndpointConfig,
  documents: Pick<DocumentTable, "update">,
): Promise<Readonly<Record<string, string>>> {
  const { as, token } = endpoint;
  const authorization = { ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  if (as === "endpoint") return authorization;
  const { deviceId, clientId } = await identityOf(endpoint, documents);
  return { ...authorization, "Protocol-Version": "1", "Device-Id": deviceId, "Client-Id": clientId };
}

async function identityOf(
  { deviceId, clientId }: XiaozhiEndpointConfig,
  documents: Pick<DocumentTable, "update">,
): Promise<Identity> {
  if (deviceId !== undefined && clientId !== undefined) return { deviceId, clientId };
  const kept = (await documents.update(COLLECTION, KEY, (value) => (isIdentity(value) ? value : make()))) as Identity;
  return { deviceId: deviceId ?? kept.deviceId, clientId: clientId ?? kept.clientId };
}

function make(): Identity {
  return { deviceId: makeAddress(), clientId: randomUUID() };
}

/** Like the address of a network card, with the bit that says that no maker gave it. */
function makeAddress(): string {
  const bytes = [...randomBytes(6)];
  bytes[0] = ((bytes[0] as number) & 0xfc) | 0x02;
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}

function isIdentity(value: unknown): value is Identity {
  const { deviceId, clientId } = (value ?? {}) as Partial<Identity>;
  return typeof deviceId === "string" && typeof clientId === "string";
}

/** Our hello, before which a server asks a device nothing. No sound will follow, but servers look for its format. */
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

/** @param text a frame of type hello. Undefined if it is for another transport, which devices do not take for an answer. */
export function readServerHello(text: string): ServerHello | undefined {
  const { transport, session_id } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (transport !== "websocket") return undefined;
  return { sessionId: typeof session_id === "string" ? session_id : "" };
}

/** What the far end's `initialize` says of the way to it. */
interface Greeting {
  /**
   * The message without what the far end says it can be asked. Voice clouds declare sampling and roots out of habit, their
   * relays drop every question, and a call that waits for an answer would wait until its deadline.
   */
  readonly text: string;
  /** It came through a relay, which brings what we say to one of several robots by the id alone. */
  readonly isRelayed: boolean;
}

/** How a relay (`mcp-endpoint-server`) writes ids: its robot's connection, number or string, the robot's own id. */
const RELAYED_ID = /^"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}_[ns]_/;

/** Undefined if it is no `initialize`. */
export function readGreeting(text: string, limits: ScanLimits): Greeting | undefined {
  if (!text.includes('"initialize"')) return undefined;
  const message = readMessage(text, limits);
  if (message.kind !== "call" || message.method !== "initialize") return undefined;
  const place = memberOf(message.members, "capabilities");
  return {
    text: place ? `${text.slice(0, place.start)}{}${text.slice(place.end)}` : text,
    isRelayed: RELAYED_ID.test(message.id ?? ""),
  };
}
