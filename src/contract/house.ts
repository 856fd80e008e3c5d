/** The simulated house (seed 000), and homes that run Home Assistant. */
import { z } from "zod";
import type { Of } from "./fields.ts";
import { SOURCE_STATES } from "./rules.ts";

const MOST_PEOPLE = 50;
const LONGEST_NAME = 100;

const person = z
  .string()
  .trim()
  .min(1)
  .max(LONGEST_NAME)
  .refine((name) => !/\p{Cc}/u.test(name), { params: { say: "rule.invalid" } });

export const Presence = z
  .strictObject({ people: z.array(person).max(MOST_PEOPLE).describe("Who is there; an empty list: nobody.") })
  .meta({ id: "Presence" });

/** As `get_all_states` says it (seed 000). */
export const House = z
  .object({
    lights: z.record(z.string(), z.boolean()),
    alarm: z.boolean(),
    presence: z.object({ present: z.boolean(), known_people: z.array(z.string()) }),
  })
  .meta({ id: "House" });
export type House = Of<typeof House>;

const Entity = z
  .object({
    id: z.string(),
    name: z.string(),
    domain: z.string(),
    state: z.string(),
    unit: z.string().optional(),
    changedUtc: z.string().nullable(),
  })
  .meta({ id: "Entity" });
export type Entity = Of<typeof Entity>;

const Area = z
  .object({
    id: z.string().nullable().describe("Null for what has no area; the name is empty then."),
    name: z.string(),
    entities: z.array(Entity).describe("By domain and name."),
  })
  .meta({ id: "Area" });
export type Area = Of<typeof Area>;

const Home = z
  .object({
    name: z.string(),
    state: z.enum(SOURCE_STATES),
    areas: z.array(Area).describe("By name; none while the home is away."),
    more: z.int().describe("How many entities there are beyond those that are shown."),
  })
  .meta({ id: "Home" });
export type Home = Of<typeof Home>;

export const Houses = z
  .object({ house: House.nullable().describe("The simulated house; null where there is none."), homes: z.array(Home) })
  .meta({ id: "Houses" });
