/** Headers that are sent with every request: as an object, or as the JSON text of one, which HandsAI 3 has. */
import { z } from "zod";
import { NEVER_RETURNED } from "./fields.ts";
import { headerNameFault, headerValueFault } from "./header-rules.ts";
import { objectIn } from "./json-object.ts";
import { PLACEHOLDER } from "./placeholder.ts";

export const customHeaders: z.ZodType<Record<string, string> | undefined> = z
  .union([z.record(z.string(), z.string().max(16_384).nullable()), z.string()])
  .transform((given, context) => headersIn(given, context))
  .describe(`Sent with every request; may be the JSON text of the object. ${NEVER_RETURNED}`);

/** A text with placeholders inside says which headers there are. */
const UNSAID: ReadonlySet<string> = new Set(["", "null", PLACEHOLDER]);

/** Undefined where nothing was said. Names that are none are not repeated either: they may hold line ends. */
function headersIn(
  given: string | Readonly<Record<string, string | null>>,
  context: z.core.$RefinementCtx,
): Record<string, string> | undefined {
  if (typeof given === "string" && UNSAID.has(given.trim())) return undefined;
  const headers = typeof given === "string" ? objectIn(given) : given;
  const entries = Object.entries(headers ?? {});
  const fault = headers ? headersFault(entries) : "must be an object of headers, or its JSON text";
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === "string" ? value : ""]));
}

function headersFault(entries: readonly (readonly [string, unknown])[]): string | undefined {
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  if (names.size < entries.length) return "has a header twice";
  if (entries.length > 100) return "has more than 100 headers";
  if (entries.some(([, value]) => typeof value !== "string" && value !== null)) return "must have texts as values";
  const [fault] = entries.flatMap(([name, value]) => headerNameFault(name) ?? headerValueFault(`${value}`) ?? []);
  return fault;
}
