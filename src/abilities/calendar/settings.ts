/** What can be said of the calendar in the configuration. */
export interface CalendarSettings {
  /** Where the house is: "Europe/Madrid". @default the machine's own zone */
  readonly timeZone?: string | undefined;
}
