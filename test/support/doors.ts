/** The hub's doors over HTTP, each with the client that fits, and the places to which they lead. */
import { overHttpSse, overWebSocket } from "./clients/carriers.ts";
import { answerTo, type Era, type McpClient } from "./clients/client.ts";
import { PostingClient } from "./clients/posting-client.ts";
import { SessionClient } from "./clients/session-client.ts";
import { TwoWayClient } from "./clients/two-way-client.ts";
import { WAITING_SOURCES, type WaitingSource } from "./waiting-sources.ts";

export interface Door {
  readonly name: string;
  readonly era: Era;
  /** @param address without the last part of the path */
  open(address: string): Promise<McpClient>;
}

export const SESSION: Door = {
  name: "session",
  era: "2025",
  open: (address) => SessionClient.open(`${address}/mcp`),
};
export const BARE: Door = {
  name: "no session",
  era: "2025",
  open: async (address) => new PostingClient("2025", `${address}/mcp`),
};
export const STATELESS: Door = {
  name: "2026",
  era: "2026",
  open: async (address) => new PostingClient("2026", `${address}/mcp`),
};
export const SOCKET_2025: Door = {
  name: "WebSocket 2025",
  era: "2025",
  open: (address) => TwoWayClient.open("2025", overWebSocket(`${address}/mcp`)),
};
export const SOCKET_2026: Door = {
  name: "WebSocket 2026",
  era: "2026",
  open: (address) => TwoWayClient.open("2026", overWebSocket(`${address}/mcp`)),
};
export const SSE: Door = {
  name: "HTTP+SSE",
  era: "2025",
  open: (address) => TwoWayClient.open("2025", overHttpSse(`${address}/sse`)),
};

export const HTTP_DOORS: readonly Door[] = [SESSION, BARE, STATELESS, SOCKET_2025, SOCKET_2026, SSE];

/** Where a source is reached: among all others, or alone at its own address. */
export interface Place {
  readonly source: WaitingSource;
  readonly isAlone: boolean;
}

export function placesOf(source: WaitingSource): readonly Place[] {
  return [
    { source, isAlone: true },
    { source, isAlone: false },
  ];
}

export const PLACES: readonly Place[] = WAITING_SOURCES.flatMap(placesOf);

export function addressOf(hub: string, { source, isAlone }: Place): string {
  return isAlone ? `${hub}/servers/${source.name}` : hub;
}

export function toolAt({ source, isAlone }: Place, tool: string): string {
  return isAlone ? tool : `${source.name}__${tool}`;
}

/** Makes a call; what its source sent before the answer has come before it, or never will. */
export async function passBy(client: McpClient, place: Place): Promise<void> {
  const args = { name: toolAt(place, "echo"), arguments: { nonce: "passing by" } };
  await answerTo(client.request("tools/call", args));
}
