/** Lets clients of a hub begin something and not want it any more, and notes what became of it. */
import { type McpClient, now, type Sent } from "./clients/client.ts";
import { type Place, toolAt } from "./doors.ts";
import { until } from "./processes.ts";
import type { WaitingLedger } from "./waiting-sources.ts";
import type { Way } from "./ways-to-leave.ts";

/** One thing that was begun and then not wanted any more. */
export interface Departure {
  readonly way: Pick<Way, "name" | "isAnswered">;
  readonly sent: Sent;
  readonly nonce: string;
  /** From the client to the source, in milliseconds, of the request itself. */
  readonly requestMs: number;
  /** The same of its cancellation. */
  readonly cancellationMs: number;
}

/** Long before the deadline, by which a source would be told too. */
const LIMIT_MS = 40_000;

/** What the ledger says of the beginning and of the end. */
const EVENTS = {
  call: ["began", "told"],
  "call with progress": ["began", "told"],
  subscription: ["subscribed", "unsubscribed"],
} as const;

let made = 0;

/** So many at each place at once, all of one client. */
export async function depart(
  client: McpClient,
  way: Omit<Way, "open">,
  places: readonly Place[],
  count: number,
  ledger: WaitingLedger,
): Promise<Departure[]> {
  const [begun, ended] = EVENTS[way.what];
  const begunAll = places.flatMap((place) => Array.from({ length: count }, () => begin(client, way, place)));
  const isEverywhere = (event: typeof begun | typeof ended): boolean =>
    begunAll.every(({ nonce }) => ledger.all(event, nonce).length > 0);
  const whose = `(${way.name}, ${places.map(({ source, isAlone }) => source.name + (isAlone ? " alone" : ""))})`;
  await until(`all have begun ${whose}`, () => isEverywhere(begun), LIMIT_MS);
  const isHeard = ({ sent }: { sent: Sent }): boolean => way.what === "call" || sent.heard.length > 0;
  await until(`all have heard of it ${whose}`, () => begunAll.every(isHeard));
  const leftAt = way.leave(
    client,
    begunAll.map(({ sent }) => sent),
  );
  await until(`all sources are told ${whose}`, () => isEverywhere(ended), LIMIT_MS);
  const at = (event: typeof begun | typeof ended, nonce: string): number =>
    ledger.all(event, nonce)[0]?.at ?? Number.NaN;
  return begunAll.map(({ sent, nonce, sentAt }, index) => {
    const cancellationMs = at(ended, nonce) - (leftAt[index] ?? Number.NaN);
    return { way, sent, nonce, requestMs: at(begun, nonce) - sentAt, cancellationMs };
  });
}

function begin(client: McpClient, way: Pick<Way, "what">, place: Place) {
  const nonce = `${place.source.name}://${++made}`;
  const sentAt = now();
  if (way.what === "subscription") {
    const notifications = { resourceSubscriptions: [nonce] };
    return { nonce, sentAt, sent: client.request("subscriptions/listen", { notifications }) };
  }
  // Every other one is answered by its source all the same.
  const args = { nonce, isLate: made % 2 === 0 };
  const options = { wantsProgress: way.what === "call with progress" };
  const sent = client.request("tools/call", { name: toolAt(place, "wait"), arguments: args }, options);
  return { nonce, sentAt, sent };
}
