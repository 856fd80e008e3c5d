/** Which headers a description may have sent, and with which values: what would frame or end a message is not among them. */
import { HEADER_NAME, HEADER_VALUE } from "../../contract/rules.ts";

const OURS: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "accept-encoding",
  "keep-alive",
  "upgrade",
  "expect",
  "te",
  "trailer",
  "proxy-authorization",
  "proxy-connection",
]);

/** Why this is no name of a header that may be sent; undefined where it is one. */
export function headerNameFault(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return "is not a possible name of a header";
  return OURS.has(name.toLowerCase()) ? "is the name of a header that is not for descriptions to set" : undefined;
}

export function headerValueFault(value: string): string | undefined {
  return HEADER_VALUE.test(value) ? undefined : "must be one line of characters that a header can have";
}
