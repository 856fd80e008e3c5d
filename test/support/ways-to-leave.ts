/** Every way in which a client of the hub can say, or show, that it does not want an answer any more. */
import { type McpClient, now, type Sent } from "./clients/client.ts";
import type { SessionClient } from "./clients/session-client.ts";
import { BARE, SESSION, SOCKET_2025, SOCKET_2026, SSE, STATELESS } from "./doors.ts";

export interface Way {
  readonly name: string;
  /** @param address without the last part of the path */
  open(address: string): Promise<McpClient>;
  /** What is under way: a call, one that tells of its progress, or listening to a resource. */
  readonly what: "call" | "call with progress" | "subscription";
  /** Takes all of them back; returns when each was. */
  leave(client: McpClient, sent: readonly Sent[]): readonly number[];
  /** Whether there may be an answer all the same, since an HTTP exchange that is kept open has to end by one. */
  readonly isAnswered?: boolean;
  /** Whether the client can go on afterwards. */
  readonly stays: boolean;
}

type Leaving = Pick<Way, "leave" | "stays">;

/** Each by itself. */
export const BY_WORD: Leaving = { leave: (_client, sent) => sent.map(timed((one) => one.cancel())), stays: true };
/** All at once. */
export const BY_LEAVING: Leaving = leavingBy((client) => client.leave());
const BY_END_OF_SESSION: Leaving = leavingBy((client) => (client as SessionClient).endSession());

export const WAYS_TO_LEAVE: readonly Way[] = [
  { name: "session: cancelled", open: SESSION.open, what: "call", ...BY_WORD, isAnswered: true },
  {
    name: "session: cancelled amid progress",
    open: SESSION.open,
    what: "call with progress",
    ...BY_WORD,
    isAnswered: true,
  },
  { name: "session: DELETE", open: SESSION.open, what: "call", ...BY_END_OF_SESSION, isAnswered: true },
  { name: "no session: hung up", open: BARE.open, what: "call", ...BY_WORD },
  { name: "2026: hung up", open: STATELESS.open, what: "call", ...BY_WORD },
  { name: "2026: hung up amid progress", open: STATELESS.open, what: "call with progress", ...BY_WORD },
  { name: "2026: listening, hung up", open: STATELESS.open, what: "subscription", ...BY_WORD },
  { name: "WebSocket 2025: cancelled", open: SOCKET_2025.open, what: "call", ...BY_WORD },
  { name: "WebSocket 2025: closed", open: SOCKET_2025.open, what: "call with progress", ...BY_LEAVING },
  { name: "WebSocket 2026: cancelled", open: SOCKET_2026.open, what: "call with progress", ...BY_WORD },
  { name: "WebSocket 2026: closed", open: SOCKET_2026.open, what: "call", ...BY_LEAVING },
  { name: "WebSocket 2026: listening, cancelled", open: SOCKET_2026.open, what: "subscription", ...BY_WORD },
  { name: "HTTP+SSE: cancelled", open: SSE.open, what: "call", ...BY_WORD },
  { name: "HTTP+SSE: stream closed", open: SSE.open, what: "call with progress", ...BY_LEAVING },
];

function leavingBy(act: (client: McpClient) => void): Leaving {
  const leave = (client: McpClient, sent: readonly Sent[]): readonly number[] => {
    const at = now();
    act(client);
    return sent.map(() => at);
  };
  return { leave, stays: false };
}

function timed(act: (sent: Sent) => void): (sent: Sent) => number {
  return (sent) => {
    const at = now();
    act(sent);
    return at;
  };
}
