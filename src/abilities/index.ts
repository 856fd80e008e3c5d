/** The abilities of this machine, one line each; loaded when they are enabled. */
import type { Ability } from "./ability.ts";

// biome-ignore lint/suspicious/noExplicitAny: the configuration has checked each one's settings.
type AnyAbility = Ability<any>;

export const ABILITIES: Readonly<Record<string, () => Promise<AnyAbility>>> = {
  system: async () => (await import("./system/index.ts")).system,
  screenshot: async () => (await import("./screenshot/index.ts")).screenshot,
  camera: async () => (await import("./camera/index.ts")).camera,
  music: async () => (await import("./music/index.ts")).music,
  calendar: async () => (await import("./calendar/index.ts")).calendar,
  timers: async () => (await import("./timers/index.ts")).timers,
  environment: async () => (await import("./environment/index.ts")).environment,
  infrared: async () => (await import("./infrared/index.ts")).infrared,
};
