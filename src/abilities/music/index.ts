/** Music from a folder of this machine, played by a real player on its loudspeaker. */
import { homedir } from "node:os";
import { type Language, type MessageKey, say } from "../../messages/catalogue.ts";
import { defineTool } from "../../user-tools/define.ts";
import type { AnyUserTool, HandlerContext, ToolAnswer } from "../../user-tools/tool.ts";
import type { Ability, AbilityContext, OpenAbility } from "../ability.ts";
import { desktopEnvironment } from "../shared/programs.ts";
import { described } from "../shared/tools.ts";
import { Jukebox } from "./jukebox.ts";
import { songName } from "./library.ts";
import { SOURCE } from "./player.ts";

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

export const music: Ability<MusicSettings> = {
  name: SOURCE,
  open: async (settings, context) => openMusic(settings, context),
};

/** More lines than this are no answer that anybody reads. */
const MOST_LISTED = 200;

function openMusic(settings: MusicSettings, context: AbilityContext): OpenAbility {
  const home = context.env["HOME"] || homedir();
  const jukebox = new Jukebox({
    folder: (settings.folder ?? "~/Music").replace(/^~(?=\/|$)/, home),
    player: settings.player,
    args: settings.args ?? [],
    env: desktopEnvironment(context.env),
    log: (line) => context.log(line),
  });
  return { tools: toolsOf(jukebox), close: () => jukebox.close() };
}

function toolsOf(jukebox: Jukebox): AnyUserTool[] {
  return [
    searchTool(jukebox),
    plain("play_pause", "music.play_pause", (language) => jukebox.playPause(language)),
    plain("pause", "music.pause", (language) => jukebox.pause(true, language)),
    plain("resume", "music.resume", (language) => jukebox.pause(false, language)),
    plain("stop", "music.stop", (language) => jukebox.stop(language)),
    seekTool(jukebox),
    { ...plain("get_lyrics", "music.get_lyrics", (language) => jukebox.lyrics(language)), readOnly: true },
    { ...plain("get_status", "music.get_status", () => jukebox.status()), readOnly: true },
    playlistTool(jukebox),
  ];
}

function plain(name: string, key: MessageKey, run: (language: Language) => Promise<ToolAnswer>): AnyUserTool {
  const handler = (_args: unknown, { language }: HandlerContext): Promise<ToolAnswer> => run(language);
  return { name: `music_player.${name}`, ...described(key), handler };
}

function searchTool(jukebox: Jukebox): AnyUserTool {
  return defineTool({
    name: "music_player.search_and_play",
    ...described("music.search_and_play"),
    properties: { song_name: { type: "string" } },
    handler: ({ song_name }, { language }) => jukebox.search(song_name, language),
  });
}

function seekTool(jukebox: Jukebox): AnyUserTool {
  return defineTool({
    name: "music_player.seek",
    ...described("music.seek"),
    properties: { position: { type: "integer", minimum: 0 } },
    handler: ({ position }, { language }) => jukebox.seek(position, language),
  });
}

function playlistTool(jukebox: Jukebox): AnyUserTool {
  return defineTool({
    name: "music_player.get_local_playlist",
    ...described("music.get_local_playlist"),
    properties: { force_refresh: { type: "boolean", default: false } },
    readOnly: true,
    handler: async ({ force_refresh }, { language }) => {
      const songs = (await jukebox.tracks(language, force_refresh)).map(songName);
      if (songs.length === 0) return say(language, "music.emptyFolder");
      const left = songs.length - MOST_LISTED;
      const more = left > 0 ? [say(language, "music.more", { count: left })] : [];
      return [say(language, "music.playlist", { count: songs.length }), ...songs.slice(0, MOST_LISTED), ...more].join(
        "\n",
      );
    },
  });
}
