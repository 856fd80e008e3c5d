/** Who we are to a server that waits for devices. It knows its devices by these ids, so they are made once and kept. */
import { randomBytes, randomUUID } from "node:crypto";
import type { XiaozhiEndpointConfig } from "../../config/types.ts";
import type { DocumentTable } from "../../store/store.ts";

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
