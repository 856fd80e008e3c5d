/**
 * What the hub tells of itself while it happens, in the shapes in which it goes over `GET /events` and the endpoints beside
 * it. Types alone: the console's page takes them from here too.
 */
import type { CallDetail, Call as CallRow } from "../../contract/call.ts";
import type {
  Area as AreaView,
  Entity as EntityView,
  Home as HomeView,
  House as HouseView,
} from "../../contract/house.ts";
import type { SourceState } from "../../core/events.ts";
import type { SeriesPoint } from "../../observe/statistics.ts";

export type { AreaView, CallDetail, CallRow, EntityView, HomeView, HouseView };

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
  /** The node that tells it, where there is a cluster. */
  readonly node?: string | undefined;
  readonly principal: PrincipalView;
  readonly servers: readonly ServerLive[];
  readonly tools: ToolsChange;
  readonly calls: CallsChange;
  readonly house: HouseView | null;
  readonly homes: readonly HomeView[];
  /** Null for limited callers. */
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
  /** In a cluster, the node that holds it; null while none does. Absent where every node reaches it by itself. */
  readonly node?: string | null | undefined;
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

interface ServersChange {
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

export type StepView = CallDetail["steps"][number];

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
  /** Sets who is in the house; an empty list: nobody. Undefined where there is no simulated house. */
  setPresence(people: readonly string[]): Promise<HouseView | undefined>;
  homes(): Promise<readonly HomeView[]>;
  /** Watches for as long as anybody listens; the returned function ends it. */
  watch(listener: HouseListener): () => void;
}

export interface HouseListener {
  house(house: HouseView | null): void;
  home(change: HomeChange): void;
}
