/** How every house that runs Home Assistant is, for whoever shows it. */
import type { HouseStatus } from "../doors/door.ts";
import type { Source } from "../sources/source.ts";

export function housesAmong(sources: readonly Source[]): readonly HouseStatus[] {
  return sources.filter(({ kind }) => kind === "home-assistant").map(statusOf);
}

function statusOf(source: Source): HouseStatus {
  const { state, lastError } = source.status();
  const { url = "", pingMs, entities, lastSuccessAt } = source.health?.() ?? {};
  const lastSuccessUtc = lastSuccessAt === undefined ? null : new Date(lastSuccessAt).toISOString();
  return { name: source.name, url, state, pingMs, entities, lastSuccessUtc, lastError: lastError ?? null };
}
