/** What monitoring looks at, and which of our sources can be called. */
import type { DoorContext, SourceSummary } from "../door.ts";

export interface Monitored extends Pick<DoorContext, "status" | "queue" | "houses" | "statistics" | "storeFault"> {
  /** Those that our clients hold with the bridge. */
  readonly bridgeSessions: Pick<DoorContext["bridgeSessions"], "counts">;
}

type Hearer = Pick<Monitored, "statistics">;

/** One that has not been asked yet can be; one that came up and fell silent cannot. */
export function isUp({ name, state }: Pick<SourceSummary, "name" | "state">, { statistics }: Hearer): boolean {
  return (state === "ready" || state === "idle") && !statistics.isSilent(name);
}

/** One that is starting for the first time is neither up nor down; one that is started again was lost. */
export function isDown(source: SourceSummary, hearer: Hearer): boolean {
  const isStarting = source.state === "starting" || source.state === "installing";
  const isFirstStart = isStarting && source.lastError === null && source.restarts === 0;
  return !isUp(source, hearer) && !isFirstStart;
}
