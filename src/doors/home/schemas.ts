/** What the endpoints about houses take and give, as schemas: requests are checked by them, and OpenAPI shows them. */
import { z } from "zod";
import type { BodySchema } from "../rest/operation.ts";

const MOST_PEOPLE = 50;
const LONGEST_NAME = 100;

const person = z
  .string()
  .trim()
  .min(1)
  .max(LONGEST_NAME)
  .refine((name) => !/\p{Cc}/u.test(name), { params: { say: "rule.invalid" } });

export const PRESENCE: BodySchema & z.ZodType<{ readonly people: readonly string[] }> = z
  .strictObject({ people: z.array(person).max(MOST_PEOPLE).describe("Who is there; an empty list: nobody.") })
  .meta({ id: "Presence" });

export const HOUSE: z.ZodType = z
  .object({
    lights: z.record(z.string(), z.boolean()),
    alarm: z.boolean(),
    presence: z.object({ present: z.boolean(), known_people: z.array(z.string()) }),
  })
  .meta({ id: "House" });

const ENTITY = z
  .object({
    id: z.string(),
    name: z.string(),
    domain: z.string(),
    state: z.string(),
    unit: z.string().optional(),
    changedUtc: z.string().nullable(),
  })
  .meta({ id: "Entity" });

const AREA = z
  .object({
    id: z.string().nullable().describe("Null for what has no area; the name is empty then."),
    name: z.string(),
    entities: z.array(ENTITY).describe("By domain and name."),
  })
  .meta({ id: "Area" });

const HOME = z
  .object({
    name: z.string(),
    state: z.string().describe("idle, starting, ready, waiting, broken or closed."),
    areas: z.array(AREA).describe("By name; none while the home is away."),
    more: z.int().describe("How many entities there are beyond those that are shown."),
  })
  .meta({ id: "Home" });

export const HOUSES: z.ZodType = z
  .object({ house: HOUSE.nullable().describe("The simulated house; null where there is none."), homes: z.array(HOME) })
  .meta({ id: "Houses" });
