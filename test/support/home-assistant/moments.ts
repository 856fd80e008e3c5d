/**
 * Time as Home Assistant tells it: in microseconds, written as Python writes it. No moment is given twice, so that what
 * happened later also sorts later.
 */
const MILLION = 1_000_000;
const WRITTEN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

let latest = 0;

/** Microseconds since 1970. */
export function now(): number {
  latest = Math.max(latest + 1, Math.round((performance.timeOrigin + performance.now()) * 1000));
  return latest;
}

export function seconds(micros: number): number {
  return micros / MILLION;
}

/** `2026-07-28T10:15:00.123456+00:00`; Python leaves the fraction out when it is zero. */
export function written(micros: number): string {
  const fraction = micros % MILLION;
  const whole = new Date((micros - fraction) / 1000).toISOString().slice(0, 19);
  return fraction === 0 ? `${whole}+00:00` : `${whole}.${String(fraction).padStart(6, "0")}+00:00`;
}

/** A moment without an offset is one of the house's own time zone: a client that forgets it is some hours off. */
export function readMoment(text: string, zone: string): number | undefined {
  const [, day, clock = "00:00", second = "00", fraction = "0", offset] = WRITTEN.exec(text) ?? [];
  const asUtc = Date.parse(`${day}T${clock}:${second}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  const minutes = offset === undefined ? zoneMinutes(zone, asUtc) : offsetMinutes(offset);
  return (asUtc - minutes * 60_000) * 1000 + Number(fraction.padEnd(6, "0"));
}

function offsetMinutes(offset: string): number {
  if (offset === "Z") return 0;
  const [hours, minutes] = [offset.slice(1, 3), offset.slice(3).replace(":", "") || "0"].map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * (offset.startsWith("-") ? -1 : 1);
}

function zoneMinutes(zone: string, moment: number): number {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  const name = format.formatToParts(moment).find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  return offsetMinutes(name.slice(3) || "Z");
}
