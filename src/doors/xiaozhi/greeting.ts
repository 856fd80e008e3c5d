/**
 * What is taken out of an `initialize`: what the far end says it can be asked. Voice clouds declare sampling and roots out
 * of habit, their relays drop every question, and a call that waits for an answer would wait until its deadline.
 */
import { memberOf, type ScanLimits } from "../../protocol/json/scan.ts";
import { readMessage } from "../../protocol/json-rpc/message.ts";

/** Undefined if it is no `initialize`. */
export function unaskableGreeting(text: string, limits: ScanLimits): string | undefined {
  if (!text.includes('"initialize"')) return undefined;
  const message = readMessage(text, limits);
  if (message.kind !== "call" || message.method !== "initialize") return undefined;
  const place = memberOf(message.members, "capabilities");
  return place ? `${text.slice(0, place.start)}{}${text.slice(place.end)}` : text;
}
