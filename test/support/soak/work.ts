/** What the callers of a soak ask for, of every kind of source there is, and how the right answer to it is known. */
import { deviceIdOf } from "../boxes/box.ts";
import type { Random } from "../seed.ts";

export type Origin = "house" | "ledger" | "remote" | "line" | "box";

export interface Work {
  readonly origin: Origin;
  /** As its own server calls it. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Stands in the answer, whatever a door makes of it, and in no failure. */
  readonly says: RegExp;
}

const PREFIX: Readonly<Record<Origin, (work: Work) => string>> = {
  house: ({ tool }) => `house__${tool}`,
  ledger: ({ tool }) => `ledger__${tool}`,
  remote: ({ tool }) => tool,
  line: ({ tool }) => `line__${tool}`,
  box: ({ tool }) => tool,
};

/** As it is called in the catalogue of all. */
export function publicName(work: Work): string {
  return PREFIX[work.origin](work);
}

/** As a text, and as doors show a text that is JSON. */
const TRUE = /^true$|"text":"true"|"result":"?true/;
const ROOMS = ["salon", "cocina", "dormitorio", "bano", "garage"];
let tags = 0;

const MAKERS: Readonly<Record<Origin, (random: Random, boxes: number) => Work>> = {
  house: (random) =>
    random.chance(2)
      ? { origin: "house", tool: "get_presence", args: {}, says: /known_people/ }
      : {
          origin: "house",
          tool: "set_light_state",
          args: { name: random.pick(ROOMS), on: random.chance(2) },
          says: /ok\\?":true/,
        },
  ledger: () => {
    const tag = `tag-${++tags}-`;
    return { origin: "ledger", tool: "echo", args: { tag }, says: new RegExp(tag) };
  },
  remote: () => ({ origin: "remote", tool: "s0-work", args: {}, says: /done/ }),
  line: () => ({ origin: "line", tool: "get_all_states", args: {}, says: /dormitorio/ }),
  box: (random, boxes) => {
    const name = `device-${deviceIdOf(random.int(boxes)).replaceAll(":", "-")}`;
    return { origin: "box", tool: `${name}__self.audio_speaker.set_volume`, args: { volume: 42 }, says: TRUE };
  },
};

export const ORIGINS = Object.keys(MAKERS) as Origin[];

export function makeWork(origin: Origin, random: Random, boxes: number): Work {
  return MAKERS[origin](random, boxes);
}
