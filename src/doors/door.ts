/**
 * The contract of a door on the HTTP port: a name, its routes, and where connections may become something else than
 * HTTP. The server has already checked Host, Origin, limits and the caller's key when a handler runs; the handler turns
 * bytes into calls and replies into bytes.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Apis } from "../apis/contract.ts";
import type { Method, Right } from "../contract/operation.ts";
import type { Principal } from "../core/call.ts";
import type { HubEvent, KindLook, SourceState } from "../core/events.ts";
import type { Gateway, Servers } from "../core/gateway.ts";
import type { OffersGateway } from "../core/offers.ts";
import type { SharedByDoors } from "../core/shared/for-doors.ts";
import type { QueueView } from "../core/source-queue.ts";
import type { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { Obstacle } from "../link/ending.ts";
import type { Language } from "../messages/catalogue.ts";
import type { Statistics } from "../observe/statistics.ts";
import type { ScanLimits } from "../protocol/json/scan.ts";
import type { Registry } from "../registry/ports.ts";
import type { BridgeSessions } from "./bridge/sessions.ts";
import type { ClusterApi } from "./cluster/cluster-api.ts";
import type { CallDetail, CallRow, HouseLive } from "./live/views.ts";
import type { SessionNodes } from "./mcp/session-nodes.ts";

export type DoorFactory = (context: DoorContext) => Door;

export interface Door {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly upgrades?: readonly Upgrade[];
  /** How many `sessions`, `streams` or `sockets` its clients hold open at the moment. */
  open?(): Readonly<Record<string, number>>;
  /** Ends streams and timers. */
  close?(): void;
}

export interface Route {
  readonly method: Method;
  /**
   * Exact, or with placeholders for segments: `/servers/{name}/mcp`. Behind `{agent}` the caller is that agent, if it may
   * be.
   */
  readonly path: string;
  /** Who may ask here. */
  readonly needs: Right;
  /** How large a body may be here, where more is needed than elsewhere. */
  readonly bodyBytes?: number;
  handle(exchange: Exchange): Promise<void> | void;
  /** How this place words a failure, where not as JSON-RPC does. */
  fail?(exchange: Exchange, error: ZaguanError): void;
}

/** Where a WebSocket may begin. */
export interface Upgrade {
  /** Exact, or with a placeholder, as those of routes. */
  readonly path: string;
  readonly needs: Right;
  /** Takes the connection over for good. Refuses it by rejecting, while it has not answered anything itself. */
  accept(connection: UpgradeConnection): Promise<void>;
  /** For devices: those that cannot set headers say their `Authorization` in the query. */
  key?(url: string | undefined): string | undefined;
}

export interface UpgradeConnection {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came behind the request's head. */
  readonly head: Buffer;
  readonly principal: Principal;
  readonly language: Language;
  /** What stands in the path for its placeholders. */
  readonly names: Readonly<Record<string, string>>;
  /** How large one message may be. */
  readonly bodyBytes: number;
}

/** One HTTP request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  /** The sender of the request; `principal` differs from it where the path names an agent. */
  readonly caller: Principal;
  /** The request's `Accept-Language` first, else the hub's own. */
  readonly language: Language;
  /** What stands in the path for the placeholders of the route. */
  readonly names: Readonly<Record<string, string>>;
  /** Aborted when the caller hangs up before it has its whole answer. */
  readonly left: CancelSignal;
  header(name: string): string | undefined;
  /** The body as text; rejects if it is too large, compressed, or not declared as JSON. */
  readBody(): Promise<string>;
  reply(status: number, body: string, headers?: Readonly<Record<string, string>>): void;
  /** Answers 200 with JSON whose middle is at hand by itself, and is not copied. */
  replyAround(middle: Uint8Array | string, before: string, behind: string): void;
  /** Ends an answer whose head the door has written itself. */
  end(body?: Uint8Array | string): void;
  /** Answers a failure of the exchange itself, as JSON-RPC with id null. */
  fail(error: ZaguanError): void;
}

export interface DoorContext {
  readonly gateway: Gateway;
  readonly servers: Servers;
  readonly offers: OffersGateway;
  readonly limits: () => DoorLimits;
  readonly status: () => HubStatus;
  /** Why nothing can be stored at the moment, in a few fixed words; undefined if all is well. */
  storeFault(): string | undefined;
  /** Why no balancer should send anybody here, though requests are answered; undefined if it should. */
  passing?(): "starting" | "stopping" | undefined;
  /** The other nodes; undefined for a hub that runs alone. */
  readonly cluster?: ClusterApi | undefined;
  /** How busy the hub is. */
  queue(): QueueView;
  readonly statistics: Statistics;
  readonly bridgeSessions: BridgeSessions;
  readonly shared: SharedByDoors;
  /** Sessions that other nodes hold; undefined for a hub that runs alone. */
  readonly sessionNodes?: SessionNodes | undefined;
  /** Every configured Home Assistant. */
  houses(): readonly HouseStatus[];
  /** The simulated house and every Home Assistant, as they are and as they change. */
  readonly houseLive?: HouseLive | undefined;
  readonly registry: Registry;
  /** REST APIs that are tools. */
  readonly apis: Apis;
  /** Takes devices in that have said hello. */
  readonly devices?: DeviceHall | undefined;
  /** Every endpoint that is dialled. */
  xiaozhi?(): readonly EndpointStatus[];
  /** The last calls, and those under way. */
  readonly calls: CallBoard;
  /** Everything that happens, as it happens; the returned function ends it. */
  onEvent(listener: (event: HubEvent) => void): () => void;
  /** Tells of a failure nobody expected and gives back the reference that the answer repeats. */
  report(cause: unknown): string;
}

/** Calls as people look at them. Administrators see everybody's, all others their own. */
export interface CallBoard {
  /** How many have ended since the start. */
  readonly ended: number;
  /** The calls that ended after the first `ended` ones, the newest first. */
  since(ended: number, limit: number, principal: Principal): readonly CallRow[];
  /** The calls under way, the newest first. @param limit all, where absent */
  running(principal: Principal, limit?: number): readonly CallRow[];
  /** How many are under way, and a mark that changes when a call comes, goes, or leaves the queue. Costs little. */
  underWay(principal: Principal): { readonly count: number; readonly mark: string };
  find(id: number, principal: Principal): CallDetail | undefined;
  /** "ended" where it is too late; undefined if there is no such call that this principal may see. */
  cancel(id: number, principal: Principal): "cancelled" | "ended" | undefined;
}

/** A device on an open socket: its own MCP server. */
export interface ArrivedDevice {
  /** What it calls itself; may be empty. */
  readonly id: string;
  readonly principal: Principal;
  /** One JSON-RPC message, in whatever form the device wants it. False if nobody reads there any more. */
  send(message: string): boolean;
  /** Closes the socket and tells the device why. */
  close(reason: string): void;
}

export interface WelcomedDevice {
  /** Takes a message of the device to us, who are its MCP client; says what it was, as `LinkHandlers.onMessage`. */
  receive(message: string): unknown;
  left(reason: string): void;
}

export interface DeviceHall {
  /** Undefined if it is not taken in: another principal's device has that id. */
  welcome(device: ArrivedDevice): WelcomedDevice | undefined;
}

export interface DoorLimits extends ScanLimits {
  readonly sessions: number;
  readonly sessionIdleMs: number;
}

export interface HouseStatus {
  readonly name: string;
  readonly url: string;
  readonly state: SourceState;
  readonly pingMs: number | undefined;
  readonly entities: number | undefined;
  readonly lastSuccessUtc: string | null;
  /** What it is away for, where it is one of the usual things. */
  readonly obstacle?: Obstacle | undefined;
}

/** A voice cloud or server that we dialled, or try to. */
export interface EndpointStatus {
  readonly name: string;
  /** Without its query, which holds a token. */
  readonly url: string;
  readonly as: "endpoint" | "device";
  /** In whose place it calls; undefined where it may use every tool. */
  readonly agent: string | undefined;
  readonly state: "connecting" | "connected" | "waiting";
  /** Since when it is in this state. */
  readonly sinceUtc: string;
  /** How often it was dialled since it was last connected. */
  readonly attempts: number;
  readonly lastError: string | null;
  /** How many there were when it last asked for its tools. */
  readonly tools: number | null;
}

export interface HeldOpen {
  readonly door: string;
  /** `sessions`, `streams` or `sockets`. */
  readonly what: string;
  readonly count: number;
}

/** What health and registry show. */
export interface HubStatus {
  readonly version: string;
  readonly startedUtc: string;
  readonly uptimeSeconds: number;
  readonly callsInFlight: number;
  /** Bytes that were written to clients and not read by them yet. */
  readonly unreadBytes: number;
  /** What clients hold open, by door. */
  readonly open: readonly HeldOpen[];
  readonly sources: readonly SourceSummary[];
}

export interface SourceSummary {
  readonly name: string;
  readonly kind: string;
  readonly look?: KindLook | undefined;
  readonly isMcp: boolean;
  /** In a cluster, the node that holds it; null while none does. Absent where every node reaches it by itself. */
  readonly node?: string | null | undefined;
  readonly state: SourceState;
  readonly transport: string;
  readonly tools: number;
  readonly restarts: number;
  /** The revision of MCP that it speaks, or last spoke; null where that is not known, or no MCP. */
  readonly revision: string | null;
  readonly lastSeenUtc: string | null;
  readonly lastError: string | null;
  /** The last line of its log, while it starts. */
  readonly progress: string | null;
  readonly log: readonly string[];
}
