/** A kind of source: how people are shown the sources of it. */
import { z } from "zod";
import type { Of } from "./fields.ts";

export const Kind = z
  .object({
    kind: z.string().describe("As servers name it."),
    title: z.string().describe("In the language that was asked for."),
    icon: z.string().describe("The path of an SVG of 24 by 24, of which the outline is drawn."),
  })
  .meta({ id: "Kind" });
export type Kind = Of<typeof Kind>;
