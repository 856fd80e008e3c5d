/**
 * The neutral call: all that doors and sources share. A door builds a `CallRequest`, the gateway resolves it into a
 * `Call`, the pipeline carries it, a source answers with a `Payload`. No wire format is known here.
 */
import type { Priority } from "../contract/rules.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { Language } from "../messages/catalogue.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { Link, Links } from "./links.ts";

export type { Priority };

/** Who calls: the local user, the holder of an API key, or an agent (token subjects come as a further kind). */
export interface Principal {
  /** Unique and stable; the key of caches and sessions, and of shares and limits where there is no `account`. */
  readonly id: string;
  readonly kind: "local" | "key" | "agent";
  readonly name: string;
  /** What it came with, as the id of the principal who holds it, where that is another: an agent's key, or who acts as it. */
  readonly credential?: string | undefined;
  /** Whose shares and limits it uses up, where it acts as an agent: else it had those of each agent beside its own. */
  readonly account?: string | undefined;
  /** May change what others use: the local user, or a key that was made for it. */
  readonly admin?: boolean | undefined;
  /** Tool patterns (`*` matches anything) this principal may see and call; absent: all. */
  readonly allow?: readonly string[] | undefined;
  /** An agent may use what it is linked to and nothing else. */
  readonly links?: Links | undefined;
}

/** A tool as its source defines it; fields that we do not know are kept. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly [field: string]: unknown;
}

export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly [field: string]: unknown;
}

/**
 * The client behind a call, as far as its source may know it: what it can be asked back (sampling, elicitation, roots) and
 * what it wants to hear. One object per client, or per request of those that keep no session.
 */
export interface Caller {
  /** Who it is, as far as that can be known: what a source remembers of one must not be shown to another. */
  readonly identity: string;
  /** Whether the client declared that it can be asked anything. */
  readonly canBeAsked: boolean;
  /** What it declared, as it was written; for sources that want to hear it with every request. */
  readonly capabilities: Payload;
  /** Who it says it is, as it was written. */
  readonly info: Payload | undefined;
  /** True if "more input is needed" may be the answer: then it comes again by itself, with the input. */
  readonly comesAgain: boolean;
  /** The least severe log messages that it asked for, in MCP's words. */
  readonly logLevel: string | undefined;
  /** Resources of which it hears on a connection of its own: what others are told of them is not for it. */
  ownUris?: Set<string> | undefined;
  /** Whether a log message of this level is for it. */
  wantsLog(level: unknown): boolean;
  request(method: string, params: Payload, signal: CancelSignal): Promise<Payload>;
  /** Takes what its source says to it alone and unasked; absent where there is no way to say it. */
  tell?(method: string, params: Payload): void;
}

/** Takes what a source says while it works on one request (log messages): it belongs to that request's caller. */
export type NotificationSink = (method: string, params: Payload) => void;

/** How the caller wants it done. */
export interface CallOptions {
  readonly priority?: Priority | undefined;
  /** How long the caller will wait, queue included; bounded by configuration. */
  readonly timeoutMs?: number | undefined;
  /** How long it waits where it says nothing, if the configuration does not say less. */
  readonly usualMs?: number | undefined;
  readonly freshness?: Freshness | undefined;
  /** Written to on the way, for a door that tells its caller how it went. */
  readonly trace?: CallTrace | undefined;
}

/** What a door hands to the gateway. */
export interface CallRequest extends CallOptions {
  /** The public name, or `server__name`. */
  readonly tool: string;
  readonly args: Payload;
  readonly principal: Principal;
  readonly language: Language;
  /** Which door it came through; for the log. */
  readonly door: string;
  /** The caller's `_meta`, for sources that understand it. */
  readonly meta?: Payload | undefined;
  /** The caller's params whole, where the source is to get them as they were written. */
  readonly params?: Payload | undefined;
  /** True where the source is to judge the arguments itself, in its own words. */
  readonly unchecked?: boolean | undefined;
  /** The source whose own door the call came through: unchecked, it gets calls of tools too that it does not list. */
  readonly server?: string | undefined;
  /** Who can be asked back, if anybody. */
  readonly caller?: Caller | undefined;
  /** Aborted when the caller leaves or cancels. */
  readonly signal?: CancelSignal | undefined;
  readonly onProgress?: ((progress: Payload) => void) | undefined;
  readonly onNotification?: NotificationSink | undefined;
}

/** Any request of MCP but a call of a tool, for one source, to be passed on as it is. */
export interface PassRequest extends CallOptions {
  readonly source: string;
  readonly method: string;
  readonly params: Payload;
  readonly principal: Principal;
  readonly language: Language;
  readonly door: string;
  readonly caller?: Caller | undefined;
  readonly signal?: CancelSignal | undefined;
  readonly onProgress?: ((progress: Payload) => void) | undefined;
  readonly onNotification?: NotificationSink | undefined;
}

/** A call that came through the first steps at another node of the cluster. */
export interface ServedRequest extends Omit<PassRequest, "params"> {
  /** As its source knows it. */
  readonly name: string;
  readonly args: Payload;
  readonly meta: Payload | undefined;
  readonly params: Payload | undefined;
}

/** What a caller asks of the cache: nothing older than this, or nothing kept at all (`0`). */
export interface Freshness {
  readonly maxAgeSeconds: number;
}

/** One call on its way through the pipeline. Steps read it; only `trace` is written to. */
export interface Call {
  readonly id: number;
  readonly source: string;
  /** What is asked of the source, in MCP's words: `tools/call`, later `resources/read` and others. */
  readonly method: string;
  /** The tool's name as its source knows it; the method where there is no tool. */
  readonly name: string;
  /** Undefined for what is no call of a tool. */
  readonly tool: ToolDefinition | undefined;
  readonly args: Payload;
  /** Those of its arguments that its caller neither gave nor is to see. */
  readonly fixed?: Link["fixedArguments"];
  readonly meta: Payload | undefined;
  /** Where given, what the source gets, instead of name, arguments and meta. */
  readonly params: Payload | undefined;
  readonly unchecked: boolean;
  readonly principal: Principal;
  readonly language: Language;
  readonly door: string;
  readonly priority: Priority;
  /** On the clock of the ports. */
  readonly startedAt: number;
  /** Moves on with every sign that the source works on it. */
  readonly deadlineAt: number;
  readonly freshness: Freshness | undefined;
  /** Aborted when the caller leaves, when the deadline passes, or when the hub closes; the reason is a ZaguanError. */
  readonly signal: CancelSignal;
  readonly onProgress: ((progress: Payload) => void) | undefined;
  readonly onNotification: NotificationSink | undefined;
  readonly caller: Caller | undefined;
  readonly trace: CallTrace;
  /** Ends the call from inside the pipeline (the deadline step does). */
  abort(reason: unknown): void;
  /** Stops the clock while somebody is asked about it; the returned function lets it go on. */
  hold(): () => void;
}

export interface CallTrace {
  queuedMs: number;
  attempts: number;
  cached: boolean;
  /** When each step of the pipeline was first entered, by its place in the list; only where somebody wants to know. */
  entered?: number[] | undefined;
  /** Whether the tool itself said that it failed; looked at only where somebody wants to know. */
  toolFailed?: boolean | undefined;
}
