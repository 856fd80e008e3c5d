/** What can be said of the thermometer in the configuration. */
export interface EnvironmentSettings {
  /** What the background service writes. @default "/var/lib/temperature_humidity.json" */
  readonly file?: string | undefined;
  /** Where Linux shows its sensors. @default "/sys" */
  readonly sysfs?: string | undefined;
  /** After so many seconds the file is told to be old. The service writes it every 30 seconds. @default 300 */
  readonly staleSeconds?: number | undefined;
}

export const DEFAULT_FILE = "/var/lib/temperature_humidity.json";
export const DEFAULT_SYSFS = "/sys";
export const DEFAULT_STALE_SECONDS = 300;
