/**
 * The headers of a link's requests, as the flat lists that undici reads fastest. Those that do not change from one
 * message to the next are put together once.
 */

export type HeaderRecord = Readonly<Record<string, string>>;

const OF_SESSIONS: ReadonlySet<string> = new Set([
  "mcp-session-id",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "last-event-id",
]);
const OF_TRANSPORT: ReadonlySet<string> = new Set(["accept", "accept-encoding", "content-type", "content-length"]);
const UNCOMPRESSED = ["accept-encoding", "identity"];
const POST = ["content-type", "application/json", "accept", "application/json, text/event-stream", ...UNCOMPRESSED];
const STREAM = ["accept", "text/event-stream", ...UNCOMPRESSED];

/** What is configured, in lower case and without what the transport itself says. */
export function configuredHeaders(configured: HeaderRecord): HeaderRecord {
  const lower = Object.entries(configured).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(lower.filter(([name]) => !OF_TRANSPORT.has(name)));
}

/** Names and values in turn. */
export function flat(headers: HeaderRecord): string[] {
  return Object.entries(headers).flat();
}

/** For Streamable HTTP, which names session and revision in every request. */
export class SessionHeaders {
  readonly #configured: HeaderRecord;
  /** For the message that opens a session, which names none yet. */
  readonly opening: string[];
  #session: string | undefined;
  #version: string | undefined;
  #common: string[] = [];
  #post: string[] = [];

  constructor(configured: HeaderRecord) {
    const own = Object.entries(configuredHeaders(configured)).filter(([name]) => !OF_SESSIONS.has(name));
    this.#configured = Object.fromEntries(own);
    this.opening = [...own.flat(), ...POST];
    this.#combine();
  }

  get session(): string | undefined {
    return this.#session;
  }

  set session(id: string | undefined) {
    this.#session = id;
    this.#combine();
  }

  set version(version: string) {
    this.#version = version;
    this.#combine();
  }

  /** For a message of the session. */
  get post(): string[] {
    return this.#post;
  }

  /** For what is neither a message nor asks for any. */
  get bare(): string[] {
    return this.#common;
  }

  stream(lastEventId: string | undefined): string[] {
    return [...this.#common, ...STREAM, ...(lastEventId ? ["last-event-id", lastEventId] : [])];
  }

  /** For a message that names no session, but says more of itself; that wins over what is configured. */
  stateless(said: HeaderRecord): string[] {
    const headers = [...POST];
    for (const name in said) headers.push(name, said[name] ?? "");
    for (const name in this.#configured) {
      if (said[name] === undefined) headers.push(name, this.#configured[name] ?? "");
    }
    return headers;
  }

  #combine(): void {
    this.#common = flat(this.#configured);
    if (this.#session !== undefined) this.#common.push("mcp-session-id", this.#session);
    if (this.#version !== undefined) this.#common.push("mcp-protocol-version", this.#version);
    this.#post = [...this.#common, ...POST];
  }
}
