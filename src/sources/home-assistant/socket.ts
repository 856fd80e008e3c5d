/** Opens the socket of a house and is let in: a link that is ready for commands, or an error that says why not. */
import type { HaWebSocket } from "home-assistant-js-websocket";
import { isObject } from "../../contract/rules.ts";
import type { Clock } from "../../core/ports.ts";
import type { ZaguanError } from "../../errors.ts";
import { type CancelSignal, LightAbort } from "../../light-abort.ts";
import { givenUp, HttpStatus, TooSlow, unavailable } from "../../link/http-failures.ts";
import type { Link, LinkHandlers } from "../../link/link.ts";
import { openRedacted } from "../../link/redacted-link.ts";
import { openWebSocket } from "../../link/websocket.ts";
import { parseJson } from "../shared/json.ts";
import { type HomeAssistantOptions, MOST_BYTES } from "./house.ts";

interface Entrance {
  readonly link: Link;
  /** Whoever is to hear what comes. */
  readonly inbox: Inbox;
  readonly version: string;
}

interface Inbox {
  /** Says what it was, as `LinkHandlers.onMessage`. */
  take(message: string): unknown;
}

/** A house that is there lets somebody in at once; one that only seems to be there must not hold up the next try. */
const GREETING_MS = 5_000;
/** Home Assistant counts refused tokens, tells its owner of each, and may shut out who brings too many. */
const REFUSED_MS = 300_000;
const LATE = `it did not let us in within ${GREETING_MS / 1_000} s`;
const AUTH_REFUSED = "it refused the token: make a new long-lived access token in Home Assistant and configure that";

export async function enter(
  options: HomeAssistantOptions,
  name: string,
  clock: Clock,
  signal: CancelSignal,
): Promise<Entrance> {
  const enough = new LightAbort();
  const onAbort = (): void => enough.abort(signal.reason);
  const late = (): void => enough.abort(unavailable(name, LATE, new TooSlow()));
  const stopTimer = clock.after(GREETING_MS, late);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await enterUntil(options, name, enough);
  } finally {
    stopTimer();
    signal.removeEventListener("abort", onAbort);
  }
}

async function enterUntil(options: HomeAssistantOptions, name: string, signal: CancelSignal): Promise<Entrance> {
  const { url, token, allowPrivate } = options;
  const inbox: Inbox = { take: () => {} };
  const door = { url: `${url}/api/websocket`, headers: {}, allowPrivate, name, maxBytes: MOST_BYTES };
  const handlers: LinkHandlers = { onMessage: (message) => inbox.take(message) };
  const link = await openRedacted([token], handlers, (clean) =>
    openWebSocket({ ...door, subprotocol: false, signal }, clean),
  );
  try {
    const version = await greet(link, inbox, token, name, signal);
    // So that Home Assistant may put many messages into one frame.
    await link.send('{"id":1,"type":"supported_features","features":{"coalesce_messages":1}}');
    return { link, inbox, version };
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** Resolves with the house's version. The token may be sent before it is asked for. */
function greet(link: Link, inbox: Inbox, token: string, name: string, signal: CancelSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  inbox.take = (message) => {
    const { type, ha_version } = fieldsOf(message);
    if (type === "auth_ok") resolve(String(ha_version));
    if (type === "auth_invalid") reject(refusedToken(name));
    return "unasked";
  };
  signal.addEventListener("abort", () => reject(givenUp(signal)), { once: true });
  void link.closed.then(({ reason }) => reject(unavailable(name, reason)));
  link.send(JSON.stringify({ type: "auth", access_token: token })).catch(reject);
  return promise;
}

/** No fields for what is no JSON object: the greeting ends by its time limit then. */
function fieldsOf(message: string): Readonly<Record<string, unknown>> {
  const value = parseJson(message);
  return isObject(value) ? value : {};
}

function refusedToken(source: string): ZaguanError {
  // What the WebSocket interface calls "auth_invalid", the REST interface calls 401.
  return unavailable(source, AUTH_REFUSED, new HttpStatus(401), REFUSED_MS);
}

type Listener = (event: { readonly data?: string }) => void;

const OPEN = 1;
const CLOSED = 3;

/**
 * A link in the clothes of a browser's WebSocket, as far as Home Assistant's client looks at one. So the client works
 * over our own socket, behind the guard; and what it throws at a message that is none ends one connection, not the
 * process.
 */
export class LinkSocket {
  readonly OPEN: number = OPEN;
  readonly haVersion: string;
  readonly #link: Link;
  readonly #listeners = new Map<string, Set<Listener>>();
  #isOpen = true;

  constructor(link: Link, haVersion: string) {
    this.#link = link;
    this.haVersion = haVersion;
  }

  get readyState(): number {
    return this.#isOpen ? OPEN : CLOSED;
  }

  addEventListener(type: string, listener: Listener): void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  /** What cannot be sent is never answered: then the connection is of no use. */
  send(message: string): void {
    this.#link.send(message).catch(() => this.close());
  }

  close(): void {
    void this.#link.close();
  }

  /** False if nobody could make anything of it. */
  receive(message: string): boolean {
    try {
      this.#tell("message", { data: message });
      return true;
    } catch {
      return false;
    }
  }

  /** The link is gone. */
  ended(): void {
    this.#isOpen = false;
    this.#tell("close", {});
  }

  asBrowserSocket(): HaWebSocket {
    return this as unknown as HaWebSocket;
  }

  #tell(type: string, event: { readonly data?: string }): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}
