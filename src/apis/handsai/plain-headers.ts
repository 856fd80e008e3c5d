/** Which headers of an API may be told again: a value under any other name may be a secret, whatever it looks like. */
import { isPlainHeader } from "../../security/secret-rules.ts";

export function plainAmong(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isPlainHeader(name)));
}
