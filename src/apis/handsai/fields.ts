/** Single fields of descriptions, among them the headers of a request. What is wrong with a value is said without repeating it. */
import { z } from "zod";
import { webAddress as addressOf } from "../../contract/fields.ts";
import { HEADER_NAME, HEADER_VALUE, PLAIN_NAME, TRANSPORT_HEADERS } from "../../contract/rules.ts";
import { PLACEHOLDER } from "./connection.ts";
import { objectIn } from "./text-values.ts";

/** The values of a body's members, before anything is made of them. */
export type SchemasOf<Fields> = { readonly [Field in keyof Fields]-?: z.ZodType<Fields[Field]> };

export type Unsaid = null | undefined;

export const toolCode: z.ZodString = z
  .string()
  .regex(PLAIN_NAME, { error: 'must be 1 to 64 letters without accents, digits, "_", "." or "-"' });

export function oneLine(max: number): z.ZodString {
  return z
    .string()
    .max(max)
    .regex(/^\P{Cc}*$/u, { error: "must be one line", abort: true });
}

/** For people. */
export const label: z.ZodString = oneLine(256).min(1);

export const webAddress = addressOf("authenticationType");

export const baseUrl: z.ZodType<string, string> = webAddress
  .refine((url) => !/[?#]/.test(url), { error: "must end with its path: a query belongs into endpointPath" })
  .describe("Where the API is; what tools have in endpointPath comes behind.");

export const NEVER_RETURNED: string = `Kept encrypted, never returned. Not said, blank, or \`${PLACEHOLDER}\`: stays as it is.`;

/** Members of an answer that may come back, and count for nothing. */
export const readOnly: z.ZodType = z.unknown().meta({ readOnly: true }).optional();

/** Why this is no name of a header that may be sent; undefined where it is one. */
export function headerNameFault(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return "is not a possible name of a header";
  return TRANSPORT_HEADERS.has(name.toLowerCase())
    ? "is the name of a header that is not for descriptions to set"
    : undefined;
}

export function headerValueFault(value: string): string | undefined {
  return HEADER_VALUE.test(value) ? undefined : "must be one line of characters that a header can have";
}

/** Headers that are sent with every request: as an object, or as the JSON text of one, which HandsAI 3 has. */
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
