/** The thermometers that Linux knows itself, out of /sys: those of Industrial I/O (iio) and of hardware monitoring (hwmon). */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Measured } from "./index.ts";

/** Channels of devices that only measure their own heat: gyroscopes and converters have a thermometer for themselves. */
const FOR_ITSELF = /^in_(?:accel|anglvel|magn|voltage|current)/;
const IIO_TEMPERATURE = /^(in_temp(?:\d+|_ambient)?)_(?:input|raw)$/;
const IIO_HUMIDITY = /^(in_humidityrelative\d*)_(?:input|raw)$/;
/** The driver of the DHT11 gives up on every second reading. */
const TRIES = 3;

/** Sensors of Linux's Industrial I/O: DHT11 and DHT22 on a pin, the chips of Sensirion and Bosch on I²C. */
export async function iioSensors(sysfs: string): Promise<Measured[]> {
  const devices = join(sysfs, "bus/iio/devices");
  const names = (await entriesOf(devices)).filter((name) => name.startsWith("iio:device"));
  return await Promise.all(names.map((name) => measureIio(join(devices, name), name)));
}

async function measureIio(folder: string, device: string): Promise<Measured> {
  const files = await entriesOf(folder);
  const sensor = (await wordIn(folder, "name")) ?? device;
  // One after the other: both may be the same wire.
  const humidity = await channel(folder, files, IIO_HUMIDITY);
  const isForItself = humidity === undefined && files.some((file) => FOR_ITSELF.test(file));
  const temperature = isForItself ? undefined : await channel(folder, files, IIO_TEMPERATURE);
  return { sensor, temperature, humidity };
}

/**
 * A channel has its value in `_input`, or a raw one with an offset and a scale: (raw + offset) × scale. Thousandths of
 * a degree or of a per cent.
 */
async function channel(folder: string, files: readonly string[], pattern: RegExp): Promise<number | undefined> {
  const name = files.map((file) => pattern.exec(file)?.[1]).find((each) => each !== undefined);
  if (name === undefined) return undefined;
  const input = await numberIn(folder, `${name}_input`, files.includes(`${name}_input`) ? TRIES : 1);
  if (input !== undefined) return input;
  const raw = await numberIn(folder, `${name}_raw`, TRIES);
  if (raw === undefined) return undefined;
  const kind = name.replace(/\d+$/, "");
  const [offset, scale] = await Promise.all(["offset", "scale"].map((each) => shared(folder, [name, kind], each)));
  return (raw + (offset ?? 0)) * (scale ?? 1);
}

/** A setting of the channel, or the one that all channels of its kind share. */
async function shared(folder: string, names: readonly string[], what: string): Promise<number | undefined> {
  for (const name of names) {
    const value = await numberIn(folder, `${name}_${what}`);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Drivers of thermometers that are soldered to a board of their own, or hang on a wire. */
const IN_THE_AIR =
  /^(?:sht|hih|htu|hdc|aht|dht|am23|chipcap|w1|ds18|ds16|tmp10|tmp11|tmp17|lm75|mcp98|stts|max319|lm92|tc74)/i;
const LABELLED = /\b(?:ambient|room|air|indoor|inlet|external)\b/i;
const HWMON_TEMPERATURE = /^temp\d+_input$/;
const HWMON_HUMIDITY = /^humidity\d+_input$/;
/** Thousandths of a degree; a reading outside of them is a fault of the sensor. */
const [COLDEST, WARMEST] = [-60_000, 85_000];

/**
 * Sensors of Linux's hardware monitoring. Most of them feel the heat of a processor or a disk, which is not the
 * house's: one that also measures humidity hangs in the air, and so does one of a kind that is sold for that.
 */
export async function hwmonSensors(sysfs: string): Promise<Measured[]> {
  const devices = join(sysfs, "class/hwmon");
  const names = await entriesOf(devices);
  return await Promise.all(names.map((name) => measureHwmon(join(devices, name), name)));
}

async function measureHwmon(folder: string, device: string): Promise<Measured> {
  const files = await entriesOf(folder);
  const chip = (await wordIn(folder, "name")) ?? device;
  const humidity = await first(
    folder,
    files.filter((file) => HWMON_HUMIDITY.test(file)),
  );
  for (const file of files.filter((each) => HWMON_TEMPERATURE.test(each))) {
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

/** No machine has more sensors; a folder of something else might be larger. */
const MOST_ENTRIES = 500;

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort().slice(0, MOST_ENTRIES);
  } catch {
    return [];
  }
}

/** Undefined if the file is missing or cannot be read just now. */
async function wordIn(folder: string, name: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, name), "utf8")).trim().slice(0, 100) || undefined;
  } catch {
    return undefined;
  }
}

/** Cheap sensors fail on every other read, and are read again. */
async function numberIn(folder: string, name: string, tries = 1): Promise<number | undefined> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const word = await wordIn(folder, name);
    const value = word === undefined ? Number.NaN : Number(word);
    if (Number.isFinite(value)) return value;
  }
  return undefined;
}
