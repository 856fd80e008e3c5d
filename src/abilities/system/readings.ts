/**
 * What the kernel tells of this machine: battery, processor temperature. Only real readings: what a machine does not have
 * is undefined, and what no sensor could mean is not believed.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

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
