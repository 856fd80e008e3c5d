/** The songs, the player and what is playing. One thing at a time; every failure is told in the caller's language. */
import { basename } from "node:path";
import { type Language, type MessageKey, type MessageParams, say } from "../../messages/catalogue.ts";
import { noProgram, reasonOf } from "../shared/programs.ts";
import { OneAtATime } from "../shared/tools.ts";
import { findSong, readLibrary, songName, type Track } from "./library.ts";
import { clockTime, readLyrics } from "./lyrics.ts";
import { mpv } from "./mpv.ts";
import {
  isNotInstalled,
  type Player,
  PlayerCannot,
  type PlayerKind,
  SIMPLE_PLAYERS,
  Unplayable,
  unknownPlayer,
} from "./player.ts";

interface JukeboxOptions {
  readonly folder: string;
  readonly player?: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  log(line: string): void;
}

const KINDS: readonly PlayerKind[] = process.platform === "win32" ? SIMPLE_PLAYERS : [mpv, ...SIMPLE_PLAYERS];

export class Jukebox {
  readonly #options: JukeboxOptions;
  readonly #kinds: readonly PlayerKind[];
  readonly #turns = new OneAtATime();
  #tracks: readonly Track[] | undefined;
  #player: { readonly kind: PlayerKind; readonly itself: Player } | undefined;
  #current: Track | undefined;
  /** Why the music is over, where it should not be. */
  #problem: string | undefined;
  #isClosed = false;

  constructor(options: JukeboxOptions) {
    this.#options = options;
    this.#kinds = kindsFor(options.player);
  }

  async tracks(language: Language, refresh = false): Promise<readonly Track[]> {
    if (!this.#tracks || refresh)
      this.#tracks = await readLibrary(this.#options.folder).catch((error) => {
        throw failure(language, "music.noFolder", { reason: (error as NodeJS.ErrnoException).code ?? "unknown" });
      });
    return this.#tracks;
  }

  async search(wanted: string, language: Language): Promise<string> {
    // A song that was put there since is looked for once more.
    const find = async (refresh: boolean): Promise<Track | undefined> =>
      findSong(await this.tracks(language, refresh), wanted);
    const track = (await find(false)) ?? (await find(true));
    if (!track) throw failure(language, "music.notFound", { song: wanted });
    return await this.#turns.run(() => this.#play(track, language));
  }

  playPause(language: Language): Promise<string> {
    return this.#turns.run(async () => {
      const state = (await this.#player?.itself.now())?.state ?? "stopped";
      if (state !== "stopped") return await this.#pause(state === "playing", language);
      if (!this.#current) throw failure(language, "music.nothing");
      return await this.#play(this.#current, language);
    });
  }

  pause(isPaused: boolean, language: Language): Promise<string> {
    return this.#turns.run(() => this.#pause(isPaused, language));
  }

  seek(seconds: number, language: Language): Promise<string> {
    return this.#turns.run(async () => {
      const { player } = await this.#playing(language);
      await player.seek(seconds).catch((error: unknown) => this.#refuse(error, language));
      return say(language, "music.soughtTo", { time: clockTime(seconds) });
    });
  }

  /** Ends the player's program, which would only hold the loudspeaker and memory. */
  stop(language: Language): Promise<string> {
    return this.#turns.run(async () => {
      const { song } = await this.#playing(language);
      await this.#dismiss();
      return say(language, "music.stopped", { song });
    });
  }

  async lyrics(language: Language): Promise<string> {
    if (!this.#current) throw failure(language, "music.nothing");
    const lines = await readLyrics(this.#current.path);
    if (!lines) throw failure(language, "music.noLyrics", { song: songName(this.#current) });
    return [say(language, "music.lyrics"), ...lines].join("\n");
  }

  async status(): Promise<Record<string, unknown>> {
    const now = (await this.#player?.itself.now().catch(() => undefined)) ?? { state: "stopped" };
    const { title, artist } = this.#current ?? {};
    const figures = "position" in now ? { position: rounded(now.position), duration: rounded(now.duration) } : {};
    const player = this.#player?.itself.name;
    return defined({ state: now.state, title, artist, ...figures, player, problem: this.#problem });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // What is just beginning to play need not be waited for.
    await this.#player?.itself.close();
    await this.#turns.run(() => this.#dismiss());
  }

  async #pause(isPaused: boolean, language: Language): Promise<string> {
    const { player, song } = await this.#playing(language);
    await player.pause(isPaused).catch((error: unknown) => this.#refuse(error, language));
    return say(language, isPaused ? "music.paused" : "music.resumed", { song });
  }

  async #play(track: Track, language: Language): Promise<string> {
    this.#problem = undefined;
    const able = this.#kinds.filter((kind) => kind.plays(track.path));
    for (const kind of able) {
      try {
        await (await this.#playerOf(kind)).play(track.path);
        this.#current = track;
        return say(language, "music.playing", { song: songName(track) });
      } catch (error) {
        if (!isNotInstalled(error)) throw await this.#unplayable(track, error, language);
        this.#player = undefined;
      }
    }
    throw able.length > 0 ? noProgram(language, able) : this.#cannot(language);
  }

  async #playerOf(kind: PlayerKind): Promise<Player> {
    if (this.#isClosed) throw new Unplayable("closed");
    if (this.#player?.kind === kind) return this.#player.itself;
    await this.#dismiss();
    const { player: configured, args, env } = this.#options;
    const onProblem = (reason: string): void => this.#noteProblem(reason);
    const itself = await kind.open({ command: configured ?? kind.program, args, env, onProblem });
    const player = { kind, itself };
    this.#player = player;
    void itself.ended.then((reason) => this.#gone(player, reason));
    return itself;
  }

  /** Nobody asked it to leave: whoever asks for it did so after taking it from here. */
  #gone(player: object, reason: string): void {
    if (this.#player !== player) return;
    this.#player = undefined;
    this.#noteProblem(reason);
  }

  #noteProblem(reason: string): void {
    this.#problem = reason;
    this.#options.log(`the music stopped: ${reason}`);
  }

  async #dismiss(): Promise<void> {
    const player = this.#player?.itself;
    this.#player = undefined;
    await player?.close();
  }

  async #playing(language: Language): Promise<{ readonly player: Player; readonly song: string }> {
    const now = await this.#player?.itself.now().catch(() => undefined);
    if (this.#player && this.#current && now && now.state !== "stopped") {
      return { player: this.#player.itself, song: songName(this.#current) };
    }
    if (this.#problem === undefined) throw failure(language, "music.nothing");
    throw failure(language, "music.playerEnded", { reason: this.#problem });
  }

  /** A player of which a song fails may be in any state: the next one gets a new one. */
  async #unplayable(track: Track, error: unknown, language: Language): Promise<Error> {
    await this.#dismiss();
    return failure(language, "music.unplayable", { song: songName(track), reason: reasonOf(error) });
  }

  #cannot(language: Language): Error {
    const player = this.#player?.itself.name ?? this.#kinds[0]?.program ?? "";
    return failure(language, "music.cannot", { player });
  }

  #refuse(error: unknown, language: Language): never {
    if (error instanceof PlayerCannot) throw this.#cannot(language);
    throw failure(language, "ability.failed", { program: this.#player?.itself.name ?? "mpv", reason: reasonOf(error) });
  }
}

function kindsFor(player: string | undefined): readonly PlayerKind[] {
  if (player === undefined) return KINDS;
  const known = KINDS.find(({ program }) => program === basename(player));
  return [known ?? unknownPlayer(basename(player))];
}

function failure(language: Language, key: MessageKey, params: MessageParams = {}): Error {
  return new Error(say(language, key, params));
}

function rounded(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 10) / 10;
}

function defined(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
