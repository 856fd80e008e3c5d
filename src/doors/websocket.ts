/**
 * JSON-RPC over WebSocket, to the whole catalogue or to one server: one message per text frame, with a handshake, without
 * one, or of a revision that knows none. Host, Origin and the key have been checked before the connection comes here, so a
 * page of another site never gets as far as a socket. Binary frames are passed over.
 */
import type { RawData, WebSocket, WebSocketServer } from "ws";
import type { Door, DoorContext, DoorFactory, UpgradeConnection } from "./door.ts";
import type { Counterpart } from "./mcp/counterpart.ts";
import { Counterparts } from "./mcp/counterparts.ts";
import { tooManySessions } from "./mcp/sessions.ts";
import { TwoWay } from "./mcp/two-way.ts";

const MAX_BACKLOG_BYTES = 1_048_576;
const UNREAD_MS = 10_000;
const PING_MS = 30_000;
const MAX_UNANSWERED_PINGS = 2;
const GOING_AWAY = 1001;

const SERVER_OPTIONS = {
  noServer: true,
  clientTracking: false,
  /** A few compressed bytes could become gigabytes. */
  perMessageDeflate: false,
  /** A message may come in pieces, but not in so many that their bookkeeping is larger than they are. */
  maxFragments: 1_024,
  maxBufferedChunks: 16_384,
  /** We answer pings ourselves, since a peer that never reads could have us hoard the answers. */
  autoPong: false,
  /** How long a peer has to answer our goodbye. */
  closeTimeout: 2_000,
  handleProtocols: (offered: Set<string>) => (offered.has("mcp") ? "mcp" : false),
} as const;

export const webSocket: DoorFactory = (context) => new WebSocketDoor(context);

class WebSocketDoor implements Door {
  readonly name = "websocket";
  readonly routes = [];
  readonly upgrades = ["/mcp", "/ws", "/servers/{name}/mcp", "/agents/{agent}/mcp"].map((path) => ({
    path,
    accept: (connection: UpgradeConnection) => this.#accept(connection),
  }));
  readonly #context: DoorContext;
  readonly #counterparts: Counterparts;
  readonly #peers = new Set<Peer>();
  #server: Promise<WebSocketServer> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(context: DoorContext) {
    this.#context = context;
    this.#counterparts = new Counterparts({ ...context, door: this.name, limit: () => context.limits().sessions });
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#counterparts.close();
    for (const peer of this.#peers) peer.goAway();
  }

  async #accept(connection: UpgradeConnection): Promise<void> {
    const counterpart = this.#counterparts.of(connection.names["name"]);
    this.#server ??= loadServer();
    const server = await this.#server;
    // From here to the new peer nothing waits, so that no two can take the same last place.
    if (this.#closed || this.#peers.size >= this.#context.limits().sessions) throw tooManySessions(this.#peers.size);
    this.#heartbeat ??= this.#startHeartbeat();
    server.options.maxPayload = connection.bodyBytes;
    const { request, socket, head } = connection;
    server.handleUpgrade(request, socket, head, (opened) => {
      const peer = new Peer(opened, connection, { ...this.#context, counterpart });
      this.#add(peer, opened);
    });
  }

  #add(peer: Peer, socket: WebSocket): void {
    this.#peers.add(peer);
    socket.on("close", () => this.#peers.delete(peer));
  }

  #startHeartbeat(): NodeJS.Timeout {
    const beat = (): void => {
      for (const peer of this.#peers) peer.ping();
    };
    return setInterval(beat, PING_MS).unref();
  }
}

interface PeerContext extends Pick<DoorContext, "limits" | "report"> {
  readonly counterpart: Counterpart;
}

/** Somebody at the other end of a socket. */
class Peer {
  readonly #socket: WebSocket;
  readonly #messages: TwoWay;
  #unansweredPings = 0;

  constructor(socket: WebSocket, connection: UpgradeConnection, context: PeerContext) {
    this.#socket = socket;
    const { counterpart, limits, report } = context;
    const { principal, language } = connection;
    const write = (message: string): void => this.#ifRead(() => socket.send(message));
    this.#messages = new TwoWay({ counterpart, limits, report, principal, language, write, bareAtFirst: true });
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("ping", (data) => this.#ifRead(() => socket.pong(data)));
    socket.on("pong", () => this.#isAlive());
    socket.on("error", () => {});
    socket.on("close", () => this.#messages.close());
    this.#cutIfUnread(connection);
  }

  ping(): void {
    if (this.#unansweredPings++ >= MAX_UNANSWERED_PINGS) this.#socket.terminate();
    else this.#ifRead(() => this.#socket.ping());
  }

  /** What runs still gets its answer; then we say goodbye. */
  goAway(): void {
    void this.#messages.finish().then(() => this.#socket.close(GOING_AWAY));
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#isAlive();
    if (!isBinary) this.#messages.receive(data.toString());
  }

  #isAlive(): void {
    this.#unansweredPings = 0;
  }

  /** Those who have not read what they were sent before are cut, before it becomes our memory. */
  #ifRead(send: () => void): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_BACKLOG_BYTES) this.#socket.terminate();
    else send();
  }

  /** Node tells of so long a time in which nothing came or left; with nothing to send that is no reproach. */
  #cutIfUnread({ request }: UpgradeConnection): void {
    request.socket.setTimeout(UNREAD_MS);
    request.socket.on("timeout", () => {
      if (this.#socket.bufferedAmount > 0) this.#socket.terminate();
    });
  }
}

/** Only when the first socket comes: most hubs never see one, and all of them should start fast and stay small. */
async function loadServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import("ws");
  return new WebSocketServer(SERVER_OPTIONS);
}
