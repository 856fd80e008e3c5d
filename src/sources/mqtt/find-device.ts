/** Finds the device that somebody means: by its id, its name, the name of one of its properties, or words of it. Pure. */

import { Refusal } from "../shared/refusal.ts";
import { similar } from "../shared/similar.ts";
import type { ToolCall } from "./broker.ts";
import { nameOf, type Property } from "./discovery/device.ts";
import type { LiveDevice } from "./live-devices.ts";
import { tell } from "./texts/index.ts";

export interface Found {
  readonly live: LiveDevice;
  /** Where one of several relays, or the like, was named. */
  readonly property?: Property | undefined;
}

export function findDevice(all: readonly LiveDevice[], { args, language }: ToolCall): Found {
  const name = args.neededText("device");
  const wanted = folded(name);
  const byId = all.find(({ device }) => device.id === name);
  if (byId) return { live: byId };
  const called = all.filter(({ device }) => folded(device.name) === wanted);
  const close = called.length > 0 ? called : containing(all, wanted);
  const [only] = close;
  const exact = called.length > 0 ? undefined : propertyCalled(all, wanted);
  if (exact) return exact;
  if (only && close.length === 1) return { live: only };
  if (called.length > 1) {
    const ids = called.map(({ device }) => device.id).join(", ");
    throw new Refusal(tell(language, "severalDevices", { name, ids }));
  }
  const alike = close.length > 0 ? close.slice(0, 5) : similar(name, all, ({ device }) => [device.name]);
  const names = alike.map(({ device }) => device.name).join(", ");
  const advice = names === "" ? tell(language, "useList") : tell(language, "nearest", { names });
  throw new Refusal(tell(language, "unknownDevice", { name }), advice);
}

/** By the name of a relay of a strip, as lists and the console show it. */
function propertyCalled(all: readonly LiveDevice[], wanted: string): Found | undefined {
  for (const live of all) {
    const property = live.device.properties.find((each) => folded(nameOf(live.device, each)) === wanted);
    if (property) return { live, property };
  }
  return undefined;
}

/** Whatever the letters look like in upper case, with accents, or with other signs between words. */
export function folded(text: string): string {
  const letters = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  return letters.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

function containing(all: readonly LiveDevice[], wanted: string): readonly LiveDevice[] {
  const words = wanted.split(" ");
  return all.filter(({ device }) => words.every((word) => folded(device.name).split(" ").includes(word)));
}
