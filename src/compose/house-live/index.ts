/** The houses for those who look at them: the simulated one, and every home that runs Home Assistant, by area. */
import type { ZaguanConfig } from "../../config/types.ts";
import type { Clock } from "../../core/ports.ts";
import type { HomeView, HouseListener, HouseLive } from "../../doors/live/views.ts";
import { HouseDocument } from "../../sources/house/document.ts";
import type { PlacedThing, Source } from "../../sources/source.ts";
import type { DocumentTable } from "../../store/store.ts";
import { homeView } from "./home-view.ts";
import { HouseWatch } from "./watch.ts";

interface HouseLiveOptions {
  readonly documents: DocumentTable;
  readonly clock: Clock;
  config(): ZaguanConfig;
  sources(): readonly Source[];
  report(cause: unknown): void;
}

/** A home that does not say what it has does not keep the others waiting. */
const HOME_MS = 3_000;

export function makeHouseLive({ documents, clock, config, sources, report }: HouseLiveOptions): HouseLive {
  let watch: HouseWatch | undefined;
  const document = (): HouseDocument | undefined => {
    const { house } = config().devices;
    return house === false ? undefined : new HouseDocument(documents, house);
  };
  const house: HouseLive["house"] = async () => (await document()?.read()) ?? null;
  const homes = (): readonly Source[] => sources().filter(({ hasThings }) => hasThings);
  return {
    house,
    setPresence: async (people) => document()?.setPresence(people),
    homes: () => Promise.all(homes().map((source) => readHome(source, clock))),
    watch: (given) => {
      // Who listens twice is told twice.
      const listener: HouseListener = { house: (now) => given.house(now), home: (change) => given.home(change) };
      watch ??= new HouseWatch({ clock, house, homes, report });
      const own = watch;
      own.add(listener);
      return () => {
        if (own.delete(listener) && watch === own) watch = undefined;
      };
    },
  };
}

async function readHome(source: Source, clock: Clock): Promise<HomeView> {
  const things = await inTime(source.things?.()?.list(), clock);
  return homeView(source.name, source.status().state, things);
}

/** Nothing, if the home is away, is lost on the way, or is too slow. */
async function inTime(
  list: Promise<readonly PlacedThing[]> | undefined,
  clock: Clock,
): Promise<readonly PlacedThing[]> {
  if (!list) return [];
  const late = Promise.withResolvers<readonly PlacedThing[]>();
  const stop = clock.after(HOME_MS, () => late.resolve([]));
  try {
    return await Promise.race([list, late.promise]);
  } catch {
    return [];
  } finally {
    stop();
  }
}
