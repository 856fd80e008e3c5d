/**
 * The limits of a hub, one line each. The file's schema, its defaults, its types and the table in docs/config.md are made
 * of these lines; nothing here is zod, so that a hub without a file can start with the defaults.
 */

export interface Limit<Value extends number | boolean = number | boolean> {
  readonly otherwise: Value;
  readonly description: string;
  /** Of numbers, both included. */
  readonly least?: number;
  readonly most?: number;
  /** False for times, which may be fractions of a second. */
  readonly isWhole?: boolean;
}

const DAY_SECONDS = 86_400;
const BYTES_MAX = 268_435_456;
const MEMORY_MAX = 17_179_869_184;

export const LIMITS = {
  bodyBytes: whole(
    [1024, BYTES_MAX, 1_048_576],
    "A request's body, or a message on a WebSocket, in bytes. Requests to `/admin/apis` that bring an OpenAPI document may have 16 MB.",
  ),
  lineBytes: whole(
    [1024, BYTES_MAX, 10_485_760],
    "A line on stdio, ours or a child's, or a server's answer by URL, in bytes. A larger answer ends its own call alone.",
  ),
  jsonDepth: whole([4, 512, 64], "Nesting of any JSON that comes in."),
  jsonElements: whole([10, 10_000_000, 10_000], "Members and elements of one JSON message."),
  connections: whole(
    [1, 1_000_000, 10_000],
    "Open connections. Where there is one too many, the first on which nobody was let in is closed for it.",
  ),
  unreadBytes: whole(
    [1_048_576, MEMORY_MAX, 268_435_456],
    "Answers that their callers do not read, in bytes over all connections: whoever has gone longest without reading an eighth of what waits is cut first (`zaguan_unread_bytes` in `/metrics`).",
  ),
  sessions: whole([1, 1_000_000, 10_000], "Open sessions, event streams, and WebSockets (each kind for itself)."),
  sessionIdleSeconds: seconds([1, 20 * DAY_SECONDS, 3600], "A session that nobody uses ends after this."),
  callSeconds: seconds(
    [0.1, DAY_SECONDS, 60],
    "A call's time, waiting included, unless the caller says otherwise; progress starts it anew.",
  ),
  callMaxSeconds: seconds(
    [0.1, DAY_SECONDS, 600],
    "The most time a call may take, with all its progress, or a caller may ask for.",
  ),
  queueLength: whole([0, 1_000_000, 1000], "Waiting calls per source; one more is refused."),
  queueBurst: whole(
    [1, 1_000_000, 100],
    "Waiting calls of one caller and class at one source before more are taken for a flood: then, until those are served, only as many may wait as are soon reached.",
  ),
  callsPerMinute: whole([0, 10_000_000, 0], "Calls per minute and principal; 0 for no limit."),
  strictArguments: flag(
    'True refuses what MCP servers may accept by coercing types (`"5"` for a number, `"true"` for a switch, one value for a list of such, null for an optional one) before they see it; otherwise it reaches them as it was sent. API tools, Home Assistant, the house and tools of one\'s own are always checked to the letter.',
  ),
  cacheBytes: whole([0, MEMORY_MAX, 33_554_432], "Bytes of kept answers."),
  listWaitSeconds: seconds([0, 600, 5], "How long a first list waits for sources that are still starting."),
  discoverySeconds: seconds([1, 600, 30], "For finding a registered server's tools, all attempts included."),
  drainSeconds: seconds(
    [0, 600, 5],
    "How long a node of a cluster still takes requests after a stop was asked for, with `/health` at 503, so that a balancer turns to other nodes. A hub without other nodes does not wait.",
  ),
  graceSeconds: seconds([0, 600, 10], "How long running calls may go on after a stop was asked for."),
};

export type Limits = { readonly [Name in keyof typeof LIMITS]: (typeof LIMITS)[Name]["otherwise"] };

export const DEFAULT_LIMITS: Limits = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { otherwise }]) => [name, otherwise]),
) as unknown as Limits;

type Range = readonly [least: number, most: number, otherwise: number];

function whole([least, most, otherwise]: Range, description: string): Limit<number> {
  return { least, most, otherwise, description, isWhole: true };
}

function seconds([least, most, otherwise]: Range, description: string): Limit<number> {
  return { least, most, otherwise, description, isWhole: false };
}

function flag(description: string): Limit<boolean> {
  return { otherwise: false, description };
}
