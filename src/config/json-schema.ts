/** The JSON Schema of `zaguan.json`, for editors; made from the same schema that reads the file. */
import { z } from "zod";
import { fileSchema } from "./schema.ts";

/** The text of `schema/zaguan.schema.json`. */
export function renderJsonSchema(): string {
  const schema = z.toJSONSchema(fileSchema, { target: "draft-2020-12", io: "input", reused: "inline" });
  return `${JSON.stringify({ ...schema, title: "zaguan.json" }, null, 2)}\n`;
}
