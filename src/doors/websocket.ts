/**
 * JSON-RPC over WebSocket, to the whole catalogue or to one server: one message per text frame, with a handshake, without
 * one, or of a revision that knows none; and devices, which say hello. Host, Origin and the key have been checked before
 * the connection comes here, so a page of another site never gets as far as a socket. Binary frames are passed over.
 */
import type { WebSocket, WebSocketServer } from "ws";
import { accountOf } from "../core/access.ts";
import { Places } from "../core/structures/places.ts";
import { holdHeapFor } from "../heap.ts";
import type { Door, DoorContext, DoorFactory, Upgrade, UpgradeConnection } from "./door.ts";
import { tooManySessions } from "./mcp/sessions.ts";
import { StatelessCodec } from "./mcp/stateless/codec.ts";
import { Targets } from "./mcp/targets.ts";
import { keyInQuery, Peer } from "./websocket/peer.ts";

const PING_MS = 30_000;
/** How long a device may take for its hello; devices wait as long for ours. */
const HELLO_MS = 10_000;
/** Largest message of a device, so that a photograph fits into one frame. */
const DEVICE_BYTES = 10_485_760;

const MCP_PATHS = ["/mcp", "/servers/{name}/mcp", "/agents/{agent}/mcp"];
/** Seed 001's program puts `/ws` behind the address that it was given, though that may end in a slash. */
const PATHS = [...MCP_PATHS, ...["", ...MCP_PATHS].flatMap((path) => [`${path}/ws`, `${path}//ws`])];
/** With and without the slash that their settings may lack. */
const DEVICE_PATHS = ["/xiaozhi/v1/", "/xiaozhi/v1"];

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
  readonly upgrades: readonly Upgrade[] = [
    ...PATHS.map((path): Upgrade => ({ path, needs: "call", accept: (connection) => this.#accept(connection, false) })),
    ...DEVICE_PATHS.map(
      (path): Upgrade => ({
        path,
        needs: "call",
        accept: (connection) => this.#accept(connection, true),
        key: keyInQuery,
      }),
    ),
  ];
  readonly #context: DoorContext;
  readonly #targets: Targets;
  readonly #stateless: StatelessCodec;
  readonly #peers = new Set<Peer>();
  readonly #places = new Places(() => this.#context.limits().sessions);
  #server: Promise<WebSocketServer> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(context: DoorContext) {
    this.#context = context;
    this.#targets = new Targets({ ...context, door: this.name });
    this.#stateless = new StatelessCodec({
      report: context.report,
      limit: () => context.limits().sessions,
      suspended: context.shared.openSuspended(this.name),
      sessionNodes: context.sessionNodes,
    });
  }

  open(): Readonly<Record<string, number>> {
    return { sockets: this.#peers.size };
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#stateless.close();
    for (const peer of this.#peers) peer.goAway();
  }

  async #accept(connection: UpgradeConnection, isForDevices: boolean): Promise<void> {
    const target = this.#targets.of(connection.names["name"]);
    this.#server ??= loadServer();
    const server = await this.#server;
    // From here to the new peer nothing waits, so that no two can take the same last place.
    if (this.#closed || !this.#places.hasRoom(accountOf(connection.principal))) throw tooManySessions(this.#peers.size);
    this.#heartbeat ??= this.#startHeartbeat();
    const { request, socket, head, bodyBytes } = connection;
    server.options.maxPayload = isForDevices ? Math.max(bodyBytes, DEVICE_BYTES) : bodyBytes;
    const { limits, report, devices } = this.#context;
    const helloMs = isForDevices ? HELLO_MS : undefined;
    server.handleUpgrade(request, socket, head, (opened) => {
      const peer = new Peer(opened, connection, {
        limits,
        report,
        devices,
        target,
        stateless: this.#stateless,
        helloMs,
      });
      this.#add(peer, opened);
    });
  }

  #add(peer: Peer, socket: WebSocket): void {
    this.#peers.add(peer);
    holdHeapFor(this.#peers.size);
    const account = accountOf(peer.principal);
    this.#places.take(account);
    socket.on("close", () => {
      this.#peers.delete(peer);
      holdHeapFor(this.#peers.size);
      this.#places.leave(account);
    });
  }

  #startHeartbeat(): NodeJS.Timeout {
    const beat = (): void => {
      for (const peer of this.#peers) peer.ping();
    };
    return setInterval(beat, PING_MS).unref();
  }
}

/** Only when the first socket comes: most hubs never see one, and all of them should start fast and stay small. */
async function loadServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import("ws");
  return new WebSocketServer(SERVER_OPTIONS);
}
