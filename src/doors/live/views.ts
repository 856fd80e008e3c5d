/**
 * What the hub tells of itself while it happens, in the shapes in which it goes over `GET /events` and the endpoints beside
 * it. Types alone: the console's page takes them from here too.
 */
import type { Priority } from "../../core/call.ts";
import type { SourceState } from "../../core/events.ts";
import type { SeriesPoint } from "../../observe/statistics.ts";

/** Everything that `GET /events` says: the name of the event, and what its data is. */
export interface LiveEvents {
  /** Always the first: the whole picture. */
  readonly hello: Hello;
  readonly servers: ServersChange;
  /** What is on offer changed: lists should be asked for again. */
  readonly tools: ToolsChange;
  readonly calls: CallsChange;
  /** The simulated house, whole, whenever it changed; null if it was taken away. */
  readonly house: { readonly house: HouseView | null };
  readonly home: HomeChange;
  readonly figures: Figures;
}

export interface Hello {
  readonly version: string;
  readonly startedUtc: string;
  readonly principal: PrincipalView;
  readonly servers: readonly ServerLive[];
  readonly tools: ToolsChange;
  readonly calls: CallsChange;
  readonly house: HouseView | null;
  readonly homes: readonly HomeView[];
  /** Null for the limited. */
  readonly figures: Figures | null;
}

export interface PrincipalView {
  readonly kind: "local" | "key" | "agent";
  readonly name: string;
  /** May change what others use, and sees everybody's calls. */
  readonly admin: boolean;
  /** May use some tools only. */
  readonly limited: boolean;
}

/** What changes of a server while it is attached; the rest is at `/mcp/servers/{name}`. */
export interface ServerLive {
  readonly name: string;
  readonly kind: string;
  /** Whether it speaks MCP. */
  readonly isMcp: boolean;
  readonly state: SourceState;
  /** It seems to be there, but does not answer. */
  readonly silent: boolean;
  readonly tools: number;
  readonly restarts: number;
  readonly lastError: string | null;
  /** The last line of its log, while it starts. */
  readonly progress: string | null;
  /** The revision of MCP that it speaks; null where that is not known, or no MCP. */
  readonly revision: string | null;
}

export interface ServersChange {
  readonly changed: readonly ServerLive[];
  readonly removed: readonly string[];
}

export interface ToolsChange {
  readonly count: number;
  /** Names that two servers claim: the first hundred of them. */
  readonly clashes: readonly Clash[];
}

export interface Clash {
  readonly tool: string;
  /** The server that has the name, and what the other's tool is called therefore: `server__tool`. */
  readonly keeper: string;
  readonly renamed: string;
}

export interface CallsChange {
  /** Ended since the last time, the newest first; bounded. */
  readonly ended: readonly CallRow[];
  /** How many more have ended than are told. */
  readonly skipped: number;
  /** All that are on their way now, the newest first; bounded. */
  readonly running: readonly CallRow[];
  readonly inFlight: number;
}

/** How a call ended: well, with the tool's own word that it failed, or with a code of the table of errors. */
export type Outcome = string;

export interface CallRow {
  readonly id: number;
  readonly startedUtc: string;
  readonly door: string;
  readonly principal: string;
  /** As its source knows it; the method where there is no tool. */
  readonly tool: string;
  readonly source: string;
  readonly priority: Priority;
  readonly state: "waiting" | "running" | "ended";
  readonly queuedMs: number;
  /** So far, while it has not ended. */
  readonly ms: number;
  /** "ok", "tool-failed", or a code of errors; null while it has not ended. */
  readonly outcome: Outcome | null;
  readonly cached: boolean;
  readonly attempts: number;
}

export interface CallDetail extends CallRow {
  readonly method: string;
  readonly language: string;
  readonly deadlineMs: number;
  /** Without secrets; null where they were not kept (in a flood, or too long). */
  readonly args: unknown;
  readonly argsKept: boolean;
  /** The way through the pipeline, in its order, as far as it went; empty where it was not kept. */
  readonly steps: readonly StepView[];
  readonly retries: readonly { readonly attempt: number; readonly atMs: number; readonly delayMs: number }[];
}

export interface StepView {
  readonly name: string;
  /** Since the call began. */
  readonly atMs: number;
  /** Until the next step was entered; for the last one, until the end. */
  readonly ms: number;
}

/** As `get_all_states` says it (seed 000). */
export interface HouseView {
  readonly lights: Readonly<Record<string, boolean>>;
  readonly alarm: boolean;
  readonly presence: { readonly present: boolean; readonly known_people: readonly string[] };
}

/** A Home Assistant. */
export interface HomeView {
  readonly name: string;
  readonly state: SourceState;
  readonly areas: readonly AreaView[];
  /** How many entities there are beyond those that are shown. */
  readonly more: number;
}

export interface AreaView {
  /** Null for what has no area. */
  readonly id: string | null;
  readonly name: string;
  readonly entities: readonly EntityView[];
}

export interface EntityView {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly state: string;
  readonly unit?: string | undefined;
  readonly changedUtc: string | null;
}

/** Either the whole home anew, or the entities of it that changed. */
export interface HomeChange {
  readonly name: string;
  readonly home?: HomeView | undefined;
  readonly entities?: readonly EntityView[] | undefined;
  readonly removed?: boolean | undefined;
}

export interface Figures {
  /** The ten seconds that are being filled; `GET /figures` has the hour. */
  readonly point: SeriesPoint;
  readonly inFlight: number;
  readonly uptimeSeconds: number;
}

/** What watches the houses for those who listen. */
export interface HouseLive {
  /** Null where there is no simulated house. */
  house(): Promise<HouseView | null>;
  /** As the people in it are known; nobody: it is empty. Undefined where there is no simulated house. */
  setPresence(people: readonly string[]): Promise<HouseView | undefined>;
  homes(): Promise<readonly HomeView[]>;
  /** Watches for as long as anybody listens; the returned function ends it. */
  watch(listener: HouseListener): () => void;
}

export interface HouseListener {
  house(house: HouseView | null): void;
  home(change: HomeChange): void;
}
