/** Temperature and humidity: from the file of the background service, else from a sensor that Linux knows itself. */
import type { Language } from "../../messages/catalogue.ts";
import { defineTool } from "../../user-tools/define.ts";
import type { Ability } from "../ability.ts";
import { described } from "../shared/descriptions.ts";
import { type Answer, readDataFile } from "./data-file.ts";
import { hwmonSensors } from "./hwmon.ts";
import { iioSensors } from "./iio.ts";
import { best, type Reading, readingOf } from "./reading.ts";
import { DEFAULT_FILE, DEFAULT_STALE_SECONDS, DEFAULT_SYSFS, type EnvironmentSettings } from "./settings.ts";

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
