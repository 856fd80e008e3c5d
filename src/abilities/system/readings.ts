/**
 * What the kernel tells of this machine: battery, processor temperature, network. Only real readings: what a machine
 * does not have is undefined, and what no sensor could mean is not believed.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Asking, runWell } from "../shared/programs.ts";

export interface Battery {
  readonly level: number;
  readonly charging: boolean;
}

/** Of the processor or the chip it is on; other sensors (disks, the board) say little, and `acpitz` is often invented. */
const CPU_ZONE = /x86_pkg|cpu|soc|core/i;
const CPU_SENSOR = /^(?:coretemp|k10temp|zenpower|cpu.*|soc.*)$/i;

export async function readBattery(sys: string): Promise<Battery | undefined> {
  const folder = join(sys, "class/power_supply");
  for (const name of await list(folder)) {
    const read = (file: string): Promise<string> => readText(join(folder, name, file));
    // A mouse or a headset has a battery too, and says that it is a device's own.
    if ((await read("type")) !== "Battery" || (await read("scope")) === "Device") continue;
    const level = numberIn(await read("capacity"));
    if (level === undefined) continue;
    return { level: Math.min(100, Math.round(level)), charging: (await read("status")) === "Charging" };
  }
  return undefined;
}

/** In degrees Celsius. */
export async function readTemperature(sys: string): Promise<number | undefined> {
  return (await zoneTemperature(sys)) ?? (await sensorTemperature(sys));
}

async function zoneTemperature(sys: string): Promise<number | undefined> {
  const folder = join(sys, "class/thermal");
  for (const zone of await list(folder)) {
    if (!zone.startsWith("thermal_zone") || !CPU_ZONE.test(await readText(join(folder, zone, "type")))) continue;
    const degrees = degreesIn(await readText(join(folder, zone, "temp")));
    if (degrees !== undefined) return degrees;
  }
  return undefined;
}

async function sensorTemperature(sys: string): Promise<number | undefined> {
  const folder = join(sys, "class/hwmon");
  for (const monitor of await list(folder)) {
    if (!CPU_SENSOR.test(await readText(join(folder, monitor, "name")))) continue;
    const degrees = degreesIn(await readText(join(folder, monitor, "temp1_input")));
    if (degrees !== undefined) return degrees;
  }
  return undefined;
}

function degreesIn(text: string): number | undefined {
  const degrees = (numberIn(text) ?? Number.NaN) / 1000;
  return degrees > -50 && degrees < 150 && degrees !== 0 ? Math.round(degrees * 10) / 10 : undefined;
}

function numberIn(text: string): number | undefined {
  return /^-?\d+$/.test(text) ? Number(text) : undefined;
}

/** In an order that does not change. */
async function list(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

/** Without the newline; empty if it cannot be read. */
async function readText(path: string): Promise<string> {
  return (await readFile(path, "utf8").catch(() => "")).trim();
}

/** How this machine reaches the network: over the interface of the default route, and if that is a radio, how well. */
export interface Network {
  readonly type: "wifi" | "ethernet" | "other";
  readonly interface: string;
  readonly ssid?: string | undefined;
  readonly signal?: Signal | undefined;
}

type Signal = "strong" | "medium" | "weak";

const ETHERNET = "1";

export async function readNetwork(sys: string, proc: string, asking: Asking): Promise<Network | undefined> {
  const name = defaultInterface(await readText(join(proc, "net/route")), await readText(join(proc, "net/ipv6_route")));
  if (name === undefined) return undefined;
  const folder = join(sys, "class/net", name);
  if (existsSync(join(folder, "wireless")) || existsSync(join(folder, "phy80211"))) {
    return { type: "wifi", interface: name, ...(await radio(name, proc, asking)) };
  }
  const isEthernet = (await readText(join(folder, "type"))) === ETHERNET;
  return { type: isEthernet ? "ethernet" : "other", interface: name };
}

/** The best by metric; a route to everywhere has a destination of zeros. */
export function defaultInterface(routes: string, routes6: string): string | undefined {
  const four = rows(routes).flatMap(([name, to, , , , , metric, mask]) =>
    name && to === "00000000" && mask === "00000000" ? [{ name, metric: Number(metric) }] : [],
  );
  const six = rows(routes6).flatMap(([to = "", length, , , , metric, , , , name]) =>
    name && /^0{32}$/.test(to) && length === "00" && name !== "lo"
      ? [{ name, metric: Number.parseInt(metric ?? "0", 16) }]
      : [],
  );
  const best = (found: { name: string; metric: number }[]): string | undefined =>
    found.sort((a, b) => a.metric - b.metric)[0]?.name;
  return best(four) ?? best(six);
}

/** `iw` knows the network's name; the kernel's old table, where it still is, only the strength. */
async function radio(name: string, proc: string, asking: Asking): Promise<Pick<Network, "ssid" | "signal">> {
  const link = await runWell("iw", ["dev", name, "link"], asking).catch(() => undefined);
  if (link) return radioOf(link.stdout.toString());
  const table = await readText(join(proc, "net/wireless"));
  const level = table.split("\n").find((line) => line.trim().startsWith(`${name}:`));
  return { signal: signalOf(Number.parseFloat(level?.trim().split(/\s+/)[3] ?? "")) };
}

function radioOf(text: string): Pick<Network, "ssid" | "signal"> {
  const ssid = /^\s*SSID: (.+)$/m.exec(text)?.[1];
  return { ssid, signal: signalOf(Number(/^\s*signal: (-?\d+) dBm/m.exec(text)?.[1] ?? Number.NaN)) };
}

function signalOf(decibels: number): Signal | undefined {
  if (!Number.isFinite(decibels) || decibels >= 0) return undefined;
  if (decibels >= -60) return "strong";
  return decibels >= -70 ? "medium" : "weak";
}

function rows(table: string): string[][] {
  return table.split("\n").map((line) => line.trim().split(/\s+/));
}
