/** Single fields of descriptions, as more than one of their schemas has them. Values are never repeated in what is said of them. */
import { z } from "zod";
import { webAddress as addressOf } from "../../contract/fields.ts";
import { PLAIN_NAME } from "../../contract/rules.ts";
import { PLACEHOLDER } from "./placeholder.ts";

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
