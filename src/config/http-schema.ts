/** What several parts of `zaguan.json` say of HTTP: headers, and addresses of the web. */

import { z } from "zod";
import { HEADER_NAME } from "../contract/rules.ts";

const ONE_LINE = /^[^\r\n\0]*$/;

export const headersSchema: z.ZodRecord<z.ZodString, z.ZodString> = z.record(
  z.string().regex(HEADER_NAME, { error: "is not a possible name of a header" }),
  z.string().regex(ONE_LINE, { error: "a header's value must be one line" }),
);

export function isHeaderName(text: string): boolean {
  return HEADER_NAME.test(text);
}

export function isHeaderValue(text: string): boolean {
  return ONE_LINE.test(text);
}

/** Of http or https, without a password in it, which would stand in every log, and without a fragment. */
export function isWebUrl(text: string): boolean {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url !== null && [url.username, url.password, url.hash].every((part) => part === "");
}
