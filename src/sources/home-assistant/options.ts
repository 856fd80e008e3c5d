/** What a house of Home Assistant is reached with. */
import type { Entity } from "./live-states.ts";

export interface HomeAssistantOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  readonly allowPrivate: boolean;
  /** How those that somebody listens to were when the last connection ended: what changed meanwhile is told by the next. */
  readonly lastHeard: Map<string, Entity | undefined>;
  /** Between pings. @default 30 s */
  readonly pingMs?: number | undefined;
  /** For an answer to a ping. @default 10 s */
  readonly pongMs?: number | undefined;
}

/** All states of a house come in one message; this is enough for fifty thousand entities. */
export const MOST_BYTES = 67_108_864;
