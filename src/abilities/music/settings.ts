/** What can be set of the music ability. */
export interface MusicSettings {
  /** Where the songs are: mp3, ogg, opus, flac, wav, m4a, in it and in its folders. @default "~/Music" */
  readonly folder?: string | undefined;
  /**
   * The player, by name or path: mpv can do everything; ffplay, mpg123 and cvlc can only play and stop.
   * @default the first of these that is installed
   */
  readonly player?: string | undefined;
  /** Further arguments of the player: `["--audio-device=alsa/hdmi"]`. @default [] */
  readonly args?: readonly string[] | undefined;
}
