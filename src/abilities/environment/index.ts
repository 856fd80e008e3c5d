/** Temperature and humidity: from the file of the background service, else from a sensor that Linux knows itself. */
import type { Language } from "../../messages/catalogue.ts";
import { defineTool } from "../../user-tools/define.ts";
import type { Ability } from "../ability.ts";
import { described } from "../shared/tools.ts";
import { type Answer, readDataFile } from "./data-file.ts";
import { hwmonSensors, iioSensors } from "./sensors.ts";

interface EnvironmentSettings {
  /** What the background service writes. @default "/var/lib/temperature_humidity.json" */
  readonly file?: string | undefined;
  /** Where Linux shows its sensors. @default "/sys" */
  readonly sysfs?: string | undefined;
  /** After so many seconds the file is told to be old. The service writes it every 30 seconds. @default 300 */
  readonly staleSeconds?: number | undefined;
}

const DEFAULT_FILE = "/var/lib/temperature_humidity.json";
const DEFAULT_SYSFS = "/sys";
const DEFAULT_STALE_SECONDS = 300;

/** `now` is the time of day in milliseconds since 1970. */
export function makeEnvironment(now: () => number = Date.now): Ability<EnvironmentSettings> {
  return {
    name: "environment",
    open: async (settings) => ({
      tools: [
        defineTool({
          name: "environment.get_temperature_humidity",
          ...described("environment.get_temperature_humidity"),
          readOnly: true,
          handler: (_, { language }) => measure(settings, now(), language),
        }),
      ],
      close: async () => {},
    }),
  };
}

export const environment: Ability<EnvironmentSettings> = makeEnvironment();

/**
 * Where neither has anything, what is wrong with the file is the answer; an old one is better than none. One that is there
 * and of no use is told of even beside a reading.
 */
async function measure(settings: EnvironmentSettings, now: number, language: Language): Promise<Answer> {
  const { file = DEFAULT_FILE, staleSeconds = DEFAULT_STALE_SECONDS, sysfs = DEFAULT_SYSFS } = settings;
  const { status, answer } = await readDataFile({ file, staleSeconds, now, language });
  if (status === "running") return answer;
  const reading = await sensed(sysfs, now);
  if (!reading) return answer;
  return status === "stopped" ? { ...reading } : { ...reading, file_status: status };
}

async function sensed(sysfs: string, now: number): Promise<Reading | undefined> {
  const iio = best(await iioSensors(sysfs));
  if (iio) return readingOf("iio", iio, now);
  const hwmon = best(await hwmonSensors(sysfs));
  return hwmon && readingOf("hwmon", hwmon, now);
}

/** What a thermometer says, in the members that the background service writes. */
interface Reading {
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Per cent; null where nothing measures it. */
  readonly humidity: number | null;
  /** Degrees Celsius. */
  readonly temperature: number | null;
  readonly unit: { readonly humidity: "%"; readonly temperature: "°C" };
  readonly service_status: "running";
  /** The subsystem of Linux that has the sensor, and the sensor's name there. */
  readonly source: "iio" | "hwmon";
  readonly sensor: string;
}

/** In thousandths of a degree and of a per cent, as Linux gives them. */
export interface Measured {
  readonly sensor: string;
  readonly temperature?: number | undefined;
  readonly humidity?: number | undefined;
}

function readingOf(source: Reading["source"], measured: Measured, now: number): Reading {
  return {
    timestamp: Math.floor(now / 1_000),
    humidity: tenths(measured.humidity),
    temperature: tenths(measured.temperature),
    unit: { humidity: "%", temperature: "°C" },
    service_status: "running",
    source,
    sensor: measured.sensor,
  };
}

/** Both at once if there is one with both, else what the first has, completed by the first that has the rest. */
function best(all: readonly Measured[]): Measured | undefined {
  const whole = all.find(({ temperature, humidity }) => temperature !== undefined && humidity !== undefined);
  if (whole) return whole;
  const [warm, damp] = [
    all.find((each) => each.temperature !== undefined),
    all.find((each) => each.humidity !== undefined),
  ];
  const sensors = [warm, damp].flatMap((each) => (each ? [each.sensor] : []));
  if (sensors.length === 0) return undefined;
  return { sensor: sensors.join(", "), temperature: warm?.temperature, humidity: damp?.humidity };
}

/** Rounded to tenths: no sensor in a house is more precise. */
function tenths(thousandths: number | undefined): number | null {
  return thousandths === undefined ? null : Math.round(thousandths / 100) / 10;
}
