/**
 * The contract of a source. A kind only knows how to make one connection; living, dying, waiting and trying again is the
 * supervisor's business and the same for all kinds.
 */

import type { Caller, NotificationSink, Principal, Priority, ToolDefinition } from "../core/call.ts";
import type { Emit, KindLook, SourceState } from "../core/events.ts";
import type { Clock, Random } from "../core/ports.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { Ending, Obstacle } from "../link/ending.ts";
import type { Language } from "../messages/catalogue.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";

export interface SourceKind<Options> {
  readonly kind: string;
  readonly look: KindLook;
  /** How many calls one source of this kind takes at once, unless configured. */
  readonly concurrency: number;
  /** True where tool annotations are our own and may be believed. */
  readonly trusted: boolean;
  /**
   * True where a source is to be up from the start and not from the first call. Then it is looked for every few seconds as
   * long as it is away, and nobody is kept waiting for it meanwhile.
   */
  readonly isEager?: boolean | undefined;
  /**
   * How many clients that can be asked may have a connection of their own at a time, beside the one that all others share.
   * Absent where a source has but one connection, or never asks anything.
   */
  readonly mostLent?: number | undefined;
  /**
   * Makes one connection and brings it to readiness (handshake done). Rejects with a ZaguanError if it cannot, leaving
   * nothing behind. `signal` gives up the attempt.
   */
  connect(options: Options, context: ConnectContext, signal: CancelSignal): Promise<Connection>;
  /** The same tool with its texts in another language, where the kind's texts are our own. */
  translate?(tool: ToolDefinition, language: Language): ToolDefinition;
  /** True for MCP servers: whether "5" may stand for a number is theirs to judge, as where they are called directly. */
  readonly isMcp?: boolean | undefined;
  /** True where its connections have `things`, which the console shows. */
  readonly hasThings?: boolean | undefined;
  /** How arguments are read before they are checked, where callers write them in ways that the schemas do not know. */
  normalizeArguments?(options: Options): ((tool: string, args: Payload) => Payload) | undefined;
  /** Whether starting it may mean to install something first. */
  mayInstall?(options: Options): boolean;
  /** What can be told of a source's health even while it is away. */
  about?(options: Options): SourceHealth;
}

/** What we declare when we introduce ourselves. */
export interface Declared {
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** It is what one client declared, who is to be asked: that is possible at any time only after a handshake. */
  readonly isLent?: boolean | undefined;
}

/** All that a client can declare of what it can be asked: some servers show some of their tools to such clients alone. */
export const ASKABLE: Declared = {
  capabilities: { sampling: { tools: {} }, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
};

export interface ConnectContext {
  readonly name: string;
  /** Absent: nothing is declared. */
  readonly client?: Declared | undefined;
  readonly clock: Clock;
  readonly emit: Emit;
  /** To be called when the source says that its tools changed. */
  onToolsChanged(): void;
  /** To be called with every notification that belongs to no single request, as it came. */
  onNotification(method: string, params: Payload): void;
  /**
   * To be called with what the source asks without saying on whose behalf; resolves with the result to send back. The
   * signal takes the question back.
   */
  onRequest(method: string, params: Payload, signal: CancelSignal): Promise<Payload>;
  /** To be told of each way that was tried to reach the source, in plain words. */
  onAttempt?(transport: string, outcome: string): void;
  /** One line of the source's own log (a child's stderr); the last ones are kept. */
  onLog(line: string): void;
}

/** One life of a source, from readiness to its end. */
export interface Connection {
  listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]>;
  /**
   * Answers with MCP's result object. Rejects with a ZaguanError whose `delivery` tells what is known: "not_sent" only
   * if the request provably never left.
   */
  request(request: SourceRequest): Promise<Payload>;
  /** Passes on what a client says and nobody answers (its roots changed); absent where the protocol has no word for it. */
  notify?(method: string, params: Payload): void;
  /** What an MCP server says of itself; undefined for kinds that speak no MCP. */
  readonly face?: ServerFace | undefined;
  /** For kinds that watch over their connection. */
  health?(): SourceHealth;
  /** For kinds that have many things, each with a state. */
  readonly things?: Things | undefined;
  /** Resolves, never rejects, when this life is over. */
  readonly closed: Promise<Ending>;
  /** Ends this life and waits until nothing of it is left. */
  close(): Promise<void>;
}

export interface SourceRequest {
  readonly method: string;
  readonly name: string;
  readonly args: Payload;
  readonly meta?: Payload | undefined;
  /** The caller's params whole: then these are sent, but for the progress token, and not name, args and meta. */
  readonly params?: Payload | undefined;
  readonly language: Language;
  readonly priority?: Priority | undefined;
  /** Who calls, where somebody does; only for what runs in this process. */
  readonly principal?: Principal | undefined;
  /** Aborted: stop waiting, and tell the source if its protocol has a word for it. */
  readonly signal: CancelSignal;
  readonly onProgress?: ((progress: Payload) => void) | undefined;
  /** For what the source says while it works on this very request, if it says on which. */
  readonly onNotification?: NotificationSink | undefined;
  /** For what the source asks while it works on this very request, and what it may know of the client. */
  readonly caller?: Caller | undefined;
  /** Stops the request's clock while somebody is asked about it; the returned function lets it go on. */
  hold?(): () => void;
}

/** Who is about to ask for something. */
export type Asker = Pick<SourceRequest, "method" | "signal" | "principal" | "caller">;

/** A supervised source, as the hub uses it. */
export interface Source {
  readonly name: string;
  readonly kind: string;
  readonly trusted: boolean;
  readonly concurrency: number;
  readonly isMcp?: boolean | undefined;
  readonly hasThings?: boolean | undefined;
  readonly look?: KindLook | undefined;
  /** True if another node of the cluster holds the source: its queue and its retries are there. */
  readonly isElsewhere?: boolean | undefined;
  /** Starts the source if need be. */
  listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]>;
  request(request: SourceRequest): Promise<Payload>;
  /** What an MCP server says of itself, to this asker; undefined for kinds that speak no MCP. Starts it if need be. */
  face(signal: CancelSignal, asker?: Asker): Promise<ServerFace | undefined>;
  /** What it says of itself if it is up, without waiting; undefined if it is not. */
  currentFace?(): { readonly face?: ServerFace | undefined } | undefined;
  /** Passed on if the source is up; one that is not has nothing to forget. */
  notify(method: string, params: Payload, caller?: Caller): void;
  /** Gives a client its own connection before its first request, if it is to have one. */
  settle?(asker: Asker): Promise<void>;
  /** Whether this client has a connection to the source for itself, and so its own view of it. */
  hasOwn?(caller: Caller): boolean;
  /** A client that stayed has gone. */
  left?(caller: Caller): void;
  status(): SourceStatus;
  /** For a source that another node holds: the status that this node last reported, if it is known. */
  reportedStatus?(): SourceStatus | undefined;
  /** For kinds that are watched; what is not known, or not true any more, is left out. */
  health?(): SourceHealth | undefined;
  /** What it has, for kinds that have things and as long as it is up; another object with each life. */
  things?(): Things | undefined;
  /** Brings it up before anybody asks for it. */
  start?(): void;
  /**
   * Ends what runs and starts it anew, whatever it has failed before. Resolves when it is up, or could not be brought up:
   * then it is tried again as ever. Requests under way end as they do when a source dies; those that wait go on waiting.
   */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface SourceHealth {
  readonly url?: string | undefined;
  /** The last round trip, in milliseconds. */
  readonly pingMs?: number | undefined;
  /** How many things it has. */
  readonly entities?: number | undefined;
  /** Milliseconds since 1970, when it last said anything. */
  readonly lastSuccessAt?: number | undefined;
}

/** What one life of a source has, thing by thing, for those who look at it. */
export interface Things {
  /** Those that are worth showing, in no special order, each at its place. Rejects if the source is lost meanwhile. */
  list(): Promise<readonly PlacedThing[]>;
  /** As it is now; undefined if there is none. */
  get(id: string): Thing | undefined;
  /** Costs the source something for as long as anybody does; the returned function ends it. */
  watch(listener: ThingsListener): () => void;
}

export interface Thing {
  readonly id: string;
  readonly name: string;
  /** What sort of thing it is. */
  readonly domain: string;
  readonly state: string;
  readonly unit?: string | undefined;
  readonly changedUtc: string | null;
}

export interface PlacedThing {
  readonly thing: Thing;
  /** Undefined where it stands nowhere. */
  readonly place: Place | undefined;
}

export interface Place {
  readonly id: string;
  readonly name: string;
}

/** Is told at once, of every change; must not throw. */
export interface ThingsListener {
  /** These are different now. */
  changed(ids: readonly string[]): void;
  /** Some came, went, or stand elsewhere: what `list` said is old. */
  rearranged(): void;
}

export interface SourceStatus {
  readonly state: SourceState;
  /** The node of the cluster that holds it, where that is another. */
  readonly node?: string | undefined;
  readonly restarts: number;
  readonly lastError?: string | undefined;
  /** What that came from, where it is one of the usual things. */
  readonly obstacle?: Obstacle | undefined;
  /** The last line of its log, while it starts. */
  readonly progress?: string | undefined;
  /** Milliseconds since 1970, when it was last ready or answered. */
  readonly lastSeen?: number | undefined;
  /** The revision of MCP that it speaks, or last spoke. */
  readonly revision?: string | undefined;
  readonly log: readonly string[];
}

export interface SupervisorPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
}
