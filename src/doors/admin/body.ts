/** Bodies in HandsAI's form: lists, and objects that become something else once they have passed. */
import type { z } from "zod";
import type { BodySchema } from "../rest/operation.ts";

/** Only for its type: whoever reads a request asks of a schema no more than that it checks. */
export function bodyOf<T>(schema: z.ZodType<T>): BodySchema & z.ZodType<T> {
  return schema as BodySchema & z.ZodType<T>;
}
