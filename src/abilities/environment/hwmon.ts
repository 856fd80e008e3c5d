/**
 * Sensors of Linux's hardware monitoring. Most of them feel the heat of a processor or a disk, which is not the house's:
 * one that also measures humidity hangs in the air, and so does one of a kind that is sold for that.
 */
import { join } from "node:path";
import type { Measured } from "./reading.ts";
import { entriesOf, numberIn, wordIn } from "./sysfs.ts";

/** Drivers of thermometers that are soldered to a board of their own, or hang on a wire. */
const IN_THE_AIR =
  /^(?:sht|hih|htu|hdc|aht|dht|am23|chipcap|w1|ds18|ds16|tmp10|tmp11|tmp17|lm75|mcp98|stts|max319|lm92|tc74)/i;
const LABELLED = /\b(?:ambient|room|air|indoor|inlet|external)\b/i;
const TEMPERATURE = /^temp\d+_input$/;
const HUMIDITY = /^humidity\d+_input$/;
/** The electronics of a house are no oven and no freezer. */
const [COLDEST, WARMEST] = [-60_000, 85_000];

export async function hwmonSensors(sysfs: string): Promise<Measured[]> {
  const devices = join(sysfs, "class/hwmon");
  const names = await entriesOf(devices);
  return await Promise.all(names.map((name) => measured(join(devices, name), name)));
}

async function measured(folder: string, device: string): Promise<Measured> {
  const files = await entriesOf(folder);
  const chip = (await wordIn(folder, "name")) ?? device;
  const humidity = await first(
    folder,
    files.filter((file) => HUMIDITY.test(file)),
  );
  for (const file of files.filter((each) => TEMPERATURE.test(each))) {
    const label = await wordIn(folder, file.replace("_input", "_label"));
    const isOfTheAir = humidity !== undefined || IN_THE_AIR.test(chip) || LABELLED.test(label ?? "");
    const temperature = isOfTheAir ? await numberIn(folder, file) : undefined;
    if (temperature === undefined || temperature < COLDEST || temperature > WARMEST) continue;
    return { sensor: label ? `${chip}: ${label}` : chip, temperature, humidity };
  }
  return { sensor: chip, humidity };
}

async function first(folder: string, files: readonly string[]): Promise<number | undefined> {
  for (const file of files) {
    const value = await numberIn(folder, file);
    if (value !== undefined) return value;
  }
  return undefined;
}
