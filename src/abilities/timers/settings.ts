/** What can be said of the countdowns in the configuration. */
export interface TimersSettings {
  /** In which times are told: "Europe/Madrid". @default the machine's own zone */
  readonly timeZone?: string | undefined;
}
