/** Which zone a TZID means: a name that the platform knows, one of Windows, or what the file itself says of it. */
import { parseOffset } from "../time/iso.ts";
import { fixedZoneName, zoneNamed } from "../time/zone.ts";
import { type Component, lineIn, linesIn, partsIn } from "./component.ts";
import { windowsZone } from "./windows-zones.ts";

/** Finds the platform's name; undefined where nobody knows it. */
export type ZoneFinder = (tzid: string) => string | undefined;

export function zoneFinder(calendar: Component): ZoneFinder {
  const described = new Map(
    partsIn(calendar, "VTIMEZONE").map((zone) => [lineIn(zone, "TZID")?.value.trim() ?? "", zone] as const),
  );
  return (tzid) => known(tzid) ?? windowsZone(tzid) ?? ofDescription(described.get(tzid));
}

/** Some programs put their own name in front: "/mozilla.org/20070129_1/Europe/Berlin". */
function known(tzid: string): string | undefined {
  const parts = tzid
    .slice(0, 200)
    .split("/")
    .filter((part) => part !== "");
  const names = [tzid, parts.slice(-3).join("/"), parts.slice(-2).join("/")];
  return names.find((name) => name !== "" && zoneNamed(name) !== undefined);
}

/** Rules of its own are not followed; a clock that is never put forward is. */
function ofDescription(zone: Component | undefined): string | undefined {
  if (!zone) return undefined;
  const place = lineIn(zone, "X-LIC-LOCATION")?.value.trim();
  if (place && zoneNamed(place)) return place;
  const offsets = new Set(
    zone.parts.flatMap((part) => linesIn(part, "TZOFFSETTO").map((line) => parseOffset(line.value.trim().slice(0, 5)))),
  );
  const [offset] = offsets;
  return offsets.size === 1 && offset !== undefined ? fixedZoneName(offset) : undefined;
}
