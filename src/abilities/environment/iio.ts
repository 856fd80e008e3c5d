/**
 * Sensors of Linux's Industrial I/O: DHT11 and DHT22 on a pin, the chips of Sensirion and Bosch on I²C. A channel is read
 * as it is, or raw, with an offset and a scale: (raw + offset) × scale; thousandths of a degree or of a per cent.
 */
import { join } from "node:path";
import type { Measured } from "./reading.ts";
import { entriesOf, numberIn, wordIn } from "./sysfs.ts";

/** What is said to measure its own heat: gyroscopes and converters have a thermometer for themselves. */
const FOR_ITSELF = /^in_(?:accel|anglvel|magn|voltage|current)/;
const TEMPERATURE = /^(in_temp(?:\d+|_ambient)?)_(?:input|raw)$/;
const HUMIDITY = /^(in_humidityrelative\d*)_(?:input|raw)$/;
/** The driver of the DHT11 gives up on every second reading. */
const TRIES = 3;

export async function iioSensors(sysfs: string): Promise<Measured[]> {
  const devices = join(sysfs, "bus/iio/devices");
  const names = (await entriesOf(devices)).filter((name) => name.startsWith("iio:device"));
  return await Promise.all(names.map((name) => measured(join(devices, name), name)));
}

async function measured(folder: string, device: string): Promise<Measured> {
  const files = await entriesOf(folder);
  const sensor = (await wordIn(folder, "name")) ?? device;
  // One after the other: both may be the same wire.
  const humidity = await channel(folder, files, HUMIDITY);
  const isForItself = humidity === undefined && files.some((file) => FOR_ITSELF.test(file));
  const temperature = isForItself ? undefined : await channel(folder, files, TEMPERATURE);
  return { sensor, temperature, humidity };
}

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

/** Of the channel, or of all channels of its kind. */
async function shared(folder: string, names: readonly string[], what: string): Promise<number | undefined> {
  for (const name of names) {
    const value = await numberIn(folder, `${name}_${what}`);
    if (value !== undefined) return value;
  }
  return undefined;
}
