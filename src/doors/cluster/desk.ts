/** What doors may ask of the other nodes of a cluster. Nobody is waited for longer than a second; who did not answer is named. */
import type { Call, CallDetail, Figures } from "../../contract/call.ts";
import type { Nodes } from "../../contract/node.ts";
import type { Principal } from "../../core/call.ts";
import type { ClusterView } from "../../core/shared/owners.ts";
import type { CallsChange, Figures as LiveFigures } from "../live/views.ts";

export interface ClusterDesk {
  /** The name of this node. */
  readonly node: string;
  /** As this node sees it, without asking. */
  view(): ClusterView;
  /** Every node, as it tells of itself. */
  nodes(): Promise<Nodes>;
  /** False if no node of that name is alive; rejects with NODE_UNAVAILABLE if it does not answer. */
  drain(node: string, isDraining: boolean): Promise<boolean>;
  /** Of the other nodes, each with its node, the newest of each first. */
  calls(wanted: WantedCalls, principal: Principal): Promise<FoundCalls & Missing>;
  /** Of this node or another; undefined if there is none that this principal may see. */
  call(place: CallPlace, principal: Principal): Promise<CallDetail | undefined>;
  cancel(place: CallPlace, principal: Principal): Promise<"cancelled" | "ended" | undefined>;
  /** Of the other nodes. */
  figures(): Promise<Missing & { readonly figures: readonly (Figures & { readonly node: string })[] }>;
  /** Follows the other nodes for one who watches. */
  watch(principal: Principal): FarWatch;
}

interface Missing {
  readonly missing: readonly string[];
}

export interface WantedCalls {
  readonly search?: string | undefined;
  readonly state?: Call["state"] | undefined;
  /** How many rows of each node. */
  readonly most: number;
}

export interface FoundCalls {
  readonly rows: readonly Call[];
  /** How many there are, those that are not among the rows included. */
  readonly total: number;
}

/** A call's number counts on its node alone. */
export interface CallPlace {
  readonly node: string;
  readonly id: number;
}

/** Calls and figures of the other nodes, as they come. */
export interface FarWatch {
  /** Resolves when all of them have told how things stand, or a second has passed. */
  ready(): Promise<void>;
  /** Whether there is anything that was not taken yet. */
  isNew(): boolean;
  /** What has ended since it was last taken, the newest first, and all that is under way. */
  take(limit: number): CallsChange;
  /** The latest of each node. */
  figures(): readonly LiveFigures[];
  close(): void;
}
