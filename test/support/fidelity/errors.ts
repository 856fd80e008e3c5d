/** Random errors of a source, as text. */
import type { Arbitrary } from "fast-check";
import { fc } from "../seed.ts";
import type { Era } from "./doors.ts";
import { objectText, oddMembers, oddValue } from "./odd-json.ts";
import { eraOf, type SourceForm } from "./sources.ts";

export interface OddError {
  readonly code: string;
  readonly text: string;
}

/** What both eras may say. */
const CODES = ["-32602", "-32603", "0", "1", "-1", "1234", "-31999", "-32769", "2147483648"];
/** What is the older era's own, as far as it tells nothing of sessions. */
const OLD_CODES = ["-32000", "-32002", "-32042", "-32099"];

/** With any spelling and any member. */
export function oddErrors(source: SourceForm, door: Era): Arbitrary<OddError> {
  const isOld = door === "handshake" && eraOf(source) === "handshake";
  const code = fc.constantFrom(...CODES, ...(isOld ? OLD_CODES : []));
  const data = fc.option(oddValue(), { nil: undefined });
  const message = fc.constantFrom("", "no milk", "leche \\u00e9 \\ud800", "漢\u2028");
  const extras = oddMembers({}, ["code", "message", "data"]);
  return fc.record({ code, data, message, extras }).map(({ code, data, message, extras }) => {
    const own = [
      { key: "code", value: code },
      { key: "message", value: `"${message}"` },
      ...(data === undefined ? [] : [{ key: "data", value: data }]),
    ];
    return { code, text: objectText([...own, ...extras]) };
  });
}
