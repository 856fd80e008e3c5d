/** What can be set of the system ability. */
export interface SystemSettings {
  /** Offers `self.application.launch`. @default false */
  readonly allowLaunch?: boolean | undefined;
  /** Offers `self.application.kill`. @default false */
  readonly allowKill?: boolean | undefined;
  /**
   * Programs that may be started beside the installed applications: by name, the command and its arguments. They are
   * started as they stand here, without a shell. @default {}
   */
  readonly applications?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The control that ALSA's `amixer` turns. @default "Master" */
  readonly mixerControl?: string | undefined;
}
