/** What is wrong with a document, and where: the one error of this layer. */
import { ZaguanError } from "../errors.ts";

const LONGEST_PLACE = 200;
const LONGEST_REASON = 500;

/** `where` is a place in the document as a person would write it (`paths./pets.get`), or "" for the whole of it. */
export function fault(where: string, reason: string): ZaguanError {
  const place = where === "" ? "OpenAPI document" : `OpenAPI document, ${shortened(where, LONGEST_PLACE)}`;
  return new ZaguanError("INVALID_PARAMS", { params: { reason: `${place}: ${shortened(reason, LONGEST_REASON)}` } });
}

/** The reason of one of ours, to be shown in a list; anything else is a defect and goes on. */
export function reasonOf(cause: unknown): string {
  const reason = cause instanceof ZaguanError ? cause.details.params?.["reason"] : undefined;
  if (reason === undefined) throw cause;
  return String(reason);
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
