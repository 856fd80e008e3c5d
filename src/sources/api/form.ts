/**
 * A body of `application/x-www-form-urlencoded`. A field of which the document says how it is written is written like a
 * parameter of the query; of others a list is as many pairs, and an object, which has no form of its own, is JSON.
 */
import { plainText } from "./arguments.ts";
import { type Pair, pairsOf, percentEncode, writtenAs } from "./encode.ts";
import type { ApiBodyMember } from "./operation.ts";

export function formText(fields: Readonly<Record<string, unknown>>, members: readonly ApiBodyMember[]): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) => {
    return fieldPairs(
      name,
      value,
      members.find((member) => member.name === name),
    );
  });
  // A form writes a space as it did before URLs had another way.
  return pairs
    .map(([name, value]) => `${name}=${value}`)
    .join("&")
    .replaceAll("%20", "+");
}

function fieldPairs(name: string, value: unknown, member: ApiBodyMember | undefined): Pair[] {
  if (value === undefined || value === null) return [];
  const { style, explode = true, allowReserved = false, contentType } = member ?? {};
  if (style !== undefined) {
    return pairsOf({ argument: name, name, in: "query", required: false, style, explode, allowReserved }, value);
  }
  if (contentType !== undefined) return [[percentEncode(name), percentEncode(writtenAs(contentType, value))]];
  const items = Array.isArray(value) ? value : [value];
  return items
    .filter((item) => item !== undefined && item !== null)
    .map((item) => [percentEncode(name), percentEncode(plainText(item))]);
}
