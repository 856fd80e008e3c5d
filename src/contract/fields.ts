/** Fields that several things have, each with its rule and the words in which a value is refused. */
import { z } from "zod";
import { SLUG } from "../server-name.ts";
import { HEADER_NAME, HEADER_VALUE, TOKEN } from "./rules.ts";

/** What a value is when it has passed; nobody changes it in place. */
export type Of<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/** What is sent before it is checked, where what has a default may be left out. */
export type In<Schema extends z.ZodType> = Immutable<z.input<Schema>>;

type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

export const SECRET_LENGTH = 16_384;
/** Said of a header's value, and of credentials that become one. */
export const NO_HEADER_VALUE = "must be one line of characters that a header can have";

/** The name of a source that is no server: it has no title beside its slug. */
export const sourceName = z
  .string()
  .regex(SLUG, { error: 'must be 1 to 64 letters without accents, digits, "_", "." or "-", without "__"' });

export const headers = z.record(
  z.string().regex(HEADER_NAME, { error: "is not a possible name of a header" }),
  z.string().regex(HEADER_VALUE, { error: NO_HEADER_VALUE }).max(SECRET_LENGTH),
);

export const NO_TOKEN = "must be one word of visible ASCII characters";

/** What stands behind `Bearer`. */
export const token = z.string().min(1, { abort: true }).regex(TOKEN, { error: NO_TOKEN }).max(SECRET_LENGTH);

/** An address of the web; `elsewhere` is the field for the credentials that do not belong into it. */
export function webAddress(elsewhere: string) {
  return address(/^https?$/, "an http or https", elsewhere).refine((url) => !url.includes("#"), {
    error: 'must not have a "#"',
  });
}

/** The first of these rules that does not hold is told alone. */
export function address(protocol: RegExp, kind: string, elsewhere: string) {
  const error = `must be ${kind} URL`;
  return z
    .url({ protocol, error, abort: true })
    .refine((url) => URL.canParse(url) && !/[\s\p{Cc}\\]/u.test(url), { error, abort: true })
    .refine((url) => new URL(url).username === "" && new URL(url).password === "", {
      error: `must not hold a name or a password: use ${elsewhere}`,
    })
    .max(2_048);
}
