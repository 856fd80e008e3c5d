/** One house of Home Assistant: what it is reached with, and how its tools see it while it is connected. */
import type { ToolOf } from "../shared/tool-call.ts";
import type { HomeLine } from "./line.ts";
import type { Entity, LiveStates } from "./live-states.ts";
import type { Registries } from "./registries.ts";
import type { HouseSite } from "./rest.ts";
import type { Services } from "./services.ts";

export interface House {
  readonly name: string;
  readonly states: LiveStates;
  readonly line: HomeLine;
  readonly services: Services;
  readonly registries: Registries;
  readonly site: HouseSite;
}

export type Tool = ToolOf<House>;

/** As seed 003 prints it. */
export function printed(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

/** What it is reached with. */
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
