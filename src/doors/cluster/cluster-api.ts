/** What doors can ask of the cluster. Other nodes get a second to answer; those that did not are named as missing. */
import type { Call, CallDetail, Figures } from "../../contract/call.ts";
import type { Nodes } from "../../contract/node.ts";
import type { Principal } from "../../core/call.ts";
import type { ClusterView } from "../../core/shared/owners.ts";
import type { CallsChange, Figures as LiveFigures } from "../live/views.ts";

export interface ClusterApi {
  /** The name of this node. */
  readonly node: string;
  /** This node's own view of the cluster, without asking the other nodes. */
  view(): ClusterView;
  /** The status of every node, as it reports it. */
  nodes(): Promise<Nodes>;
  /** False if no node of that name is alive; rejects with NODE_UNAVAILABLE if it does not answer. */
  drain(node: string, isDraining: boolean): Promise<boolean>;
  /** The calls of the other nodes, each with the name of its node; those of one node are sorted newest first. */
  calls(wanted: WantedCalls, principal: Principal): Promise<FoundCalls & Missing>;
  /** A call of any node; undefined if there is none that this principal may see. */
  call(place: CallPlace, principal: Principal): Promise<CallDetail | undefined>;
  cancel(place: CallPlace, principal: Principal): Promise<"cancelled" | "ended" | undefined>;
  /** The metrics of the other nodes. */
  figures(): Promise<Missing & { readonly figures: readonly (Figures & { readonly node: string })[] }>;
  /** Subscribes to the calls and metrics of the other nodes that this principal may see. */
  watch(principal: Principal): RemoteCallWatch;
}

interface Missing {
  readonly missing: readonly string[];
}

export interface WantedCalls {
  readonly search?: string | undefined;
  readonly state?: Call["state"] | undefined;
  /** The most rows from each node. */
  readonly most: number;
}

export interface FoundCalls {
  readonly rows: readonly Call[];
  /** How many calls match, including those beyond the returned rows. */
  readonly total: number;
}

/** Identifies a call: each node numbers its own calls. */
export interface CallPlace {
  readonly node: string;
  readonly id: number;
}

/** A subscription to calls and metrics of the other nodes. */
export interface RemoteCallWatch {
  /** Resolves when all other nodes have sent their current state, or after a second. */
  ready(): Promise<void>;
  /** Whether anything has changed since the last `take`. */
  isNew(): boolean;
  /** The calls that have ended since the last `take`, newest first, and all running ones. */
  take(limit: number): CallsChange;
  /** The latest metrics of each node. */
  figures(): readonly LiveFigures[];
  close(): void;
}
