/** A failure as REST doors tell it (RFC 9457). */
import { z } from "zod";
import { ERRORS, type ErrorCode } from "../errors.ts";
import type { Of } from "./fields.ts";

export const Problem = z
  .looseObject({
    type: z.literal("about:blank"),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("In the language of the request's Accept-Language, where we speak it."),
    code: z.enum(Object.keys(ERRORS) as ErrorCode[]).describe("Stable, whatever the language."),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .describe("Every field that does not fit."),
  })
  .meta({ id: "Problem", description: "A failure (RFC 9457)." });
export type Problem = Of<typeof Problem>;
