/** A home as it is shown: its things by area, in an order that people find their way in, and not more than they can look at. */
import type { SourceState } from "../../core/events.ts";
import type { AreaView, EntityView, HomeView } from "../../doors/live/views.ts";
import type { PlacedThing } from "../../sources/source.ts";

const MOST_SHOWN = 500;

/** What has no area comes last. */
export function homeView(name: string, state: SourceState, things: readonly PlacedThing[]): HomeView {
  const shown = [...things].sort(byPlace).slice(0, MOST_SHOWN);
  const byArea = Map.groupBy(shown, ({ place }) => place?.id ?? null);
  const areas = [...byArea].map(([id, placed]): AreaView => {
    return { id, name: placed[0]?.place?.name ?? "", entities: placed.map(({ thing }) => thing) };
  });
  return { name, state, areas, more: things.length - shown.length };
}

export function entitiesIn({ areas }: HomeView): readonly EntityView[] {
  return areas.flatMap(({ entities }) => entities);
}

/** The same home, with these in the place of those that have their ids. */
export function withEntities(home: HomeView, now: ReadonlyMap<string, EntityView>): HomeView {
  const areas = home.areas.map((area) => {
    return { ...area, entities: area.entities.map((entity) => now.get(entity.id) ?? entity) };
  });
  return { ...home, areas };
}

function byPlace(one: PlacedThing, other: PlacedThing): number {
  const [a, b] = [one.thing, other.thing];
  return (
    Number(one.place === undefined) - Number(other.place === undefined) ||
    compared(one.place?.name ?? "", other.place?.name ?? "") ||
    compared(one.place?.id ?? "", other.place?.id ?? "") ||
    compared(a.domain, b.domain) ||
    compared(a.name, b.name) ||
    compared(a.id, b.id)
  );
}

/** Made with the first that is sorted: most hubs have no home. */
let collator: Intl.Collator | undefined;

/** "Lamp 2" before "Lamp 10", and É beside E. */
function compared(one: string, other: string): number {
  if (one === other) return 0;
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(one, other);
}
