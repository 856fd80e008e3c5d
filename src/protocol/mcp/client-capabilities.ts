/** What a client must have declared to be asked what. Pure. */
import type { Payload } from "../json/payload.ts";

const NEEDED: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
  "roots/list": "roots",
});

/** The capability behind a request to a client; undefined if clients cannot be asked that. */
export function capabilityFor(method: string): string | undefined {
  return NEEDED[method];
}

/** Which of them the client declared. */
export function askable(capabilities: Payload): readonly string[] {
  const declared = (capabilities.value ?? {}) as Readonly<Record<string, unknown>>;
  return Object.values(NEEDED).filter((name) => typeof declared[name] === "object" && declared[name] !== null);
}
