/** What the far end's `initialize` says of the way to it. */
import { memberOf, type ScanLimits } from "../../protocol/json/scan.ts";
import { readMessage } from "../../protocol/json-rpc/message.ts";

interface Greeting {
  /**
   * The message without what the far end says it can be asked. Voice clouds declare sampling and roots out of habit, their
   * relays drop every question, and a call that waits for an answer would wait until its deadline.
   */
  readonly text: string;
  /** It came through a relay, which brings what we say to one of several robots by the id alone. */
  readonly isRelayed: boolean;
}

/** How a relay (`mcp-endpoint-server`) writes ids: its robot's connection, number or string, the robot's own id. */
const RELAYED_ID = /^"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}_[ns]_/;

/** Undefined if it is no `initialize`. */
export function readGreeting(text: string, limits: ScanLimits): Greeting | undefined {
  if (!text.includes('"initialize"')) return undefined;
  const message = readMessage(text, limits);
  if (message.kind !== "call" || message.method !== "initialize") return undefined;
  const place = memberOf(message.members, "capabilities");
  return {
    text: place ? `${text.slice(0, place.start)}{}${text.slice(place.end)}` : text,
    isRelayed: RELAYED_ID.test(message.id ?? ""),
  };
}
