/**
 * What a jukebox asks of a player, and the simple players, which are started for one song and can do nothing but play
 * it: ffplay, mpg123, VLC without its window. A player is a real program; when that ends, the player is of no use any
 * more.
 */
import { extname } from "node:path";
import { type ChildLink, openChildLink } from "../../link/child-process.ts";
import { type Ending, sayEnding } from "../../link/ending.ts";

type PlayState = "playing" | "paused" | "stopped";

export interface Playing {
  readonly state: PlayState;
  /** In seconds. */
  readonly position?: number | undefined;
  readonly duration?: number | undefined;
}

export interface Player {
  readonly name: string;
  /** Resolves, never rejects, with the reason when its program is gone. */
  readonly ended: Promise<string>;
  /** Plays this instead of whatever it plays. Rejects with `Unplayable` if no sound comes of it. */
  play(path: string): Promise<void>;
  /** Rejects with `PlayerCannot` where the program has no such thing. */
  pause(isPaused: boolean): Promise<void>;
  seek(seconds: number): Promise<void>;
  now(): Promise<Playing>;
  /** Ends the program. */
  close(): Promise<void>;
}

/** The name under which the ability is a source, for which every player works. */
export const SOURCE = "music";

export interface PlayerOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Something went wrong with a song after it had begun. */
  onProblem(reason: string): void;
}

export interface PlayerKind {
  /** Of the program; a configured path is known by its last part. */
  readonly program: string;
  readonly package: string;
  plays(path: string): boolean;
  /** Rejects with a ZaguanError; `isNotInstalled` tells whether the program is missing. */
  open(options: PlayerOptions): Promise<Player>;
}

export class Unplayable extends Error {
  override readonly name = "Unplayable";
}

export class PlayerCannot extends Error {
  override readonly name = "PlayerCannot";
}

/** A link says so in the error that the system gave. */
export function isNotInstalled(error: unknown): boolean {
  return error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
}

interface Simple {
  readonly program: string;
  readonly package: string;
  readonly args: readonly string[];
  readonly only?: string | undefined;
}

const PROGRAMS: readonly Simple[] = [
  { program: "ffplay", package: "ffmpeg", args: ["-nodisp", "-autoexit", "-loglevel", "error"] },
  { program: "mpg123", package: "mpg123", args: ["-q"], only: ".mp3" },
  { program: "cvlc", package: "vlc", args: ["--quiet", "--play-and-exit"] },
];
const LINE_BYTES = 65_536;

export const SIMPLE_PLAYERS: readonly PlayerKind[] = PROGRAMS.map(simpleKind);

/** For whatever program the owner names: it gets the arguments and then the file. */
export function unknownPlayer(program: string): PlayerKind {
  return simpleKind({ program, package: program, args: [] });
}

function simpleKind({ program, package: name, args, only }: Simple): PlayerKind {
  return {
    program,
    package: name,
    plays: (path) => only === undefined || extname(path).toLowerCase() === only,
    open: async (options) => new SimplePlayer(program, { ...options, args: [...args, ...options.args] }),
  };
}

class SimplePlayer implements Player {
  readonly name: string;
  readonly ended: Promise<string>;
  readonly #options: PlayerOptions;
  #song: { readonly process: ChildLink; readonly startedAt: number } | undefined;
  #tellEnded: (reason: string) => void = () => {};

  constructor(name: string, options: PlayerOptions) {
    this.name = name;
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#tellEnded = resolve;
    });
  }

  async play(path: string): Promise<void> {
    await this.#song?.process.close();
    const { command, args, env } = this.#options;
    const more = { lineBytes: LINE_BYTES, name: this.name, source: SOURCE, eofMs: 0 };
    const child = { command, args: [...args, path], env, ...more };
    const process = await openChildLink(child, { onMessage: () => {} });
    const song = { process, startedAt: performance.now() };
    this.#song = song;
    void process.closed.then((ending) => this.#over(song, ending));
  }

  async pause(): Promise<void> {
    throw new PlayerCannot(this.name);
  }

  async seek(): Promise<void> {
    throw new PlayerCannot(this.name);
  }

  async now(): Promise<Playing> {
    if (!this.#song) return { state: "stopped" };
    return { state: "playing", position: (performance.now() - this.#song.startedAt) / 1000 };
  }

  async close(): Promise<void> {
    await this.#song?.process.close();
    this.#tellEnded("stopped");
  }

  #over(song: object, ending: Ending): void {
    if (this.#song === song) this.#song = undefined;
    if (ending.kind !== "ours" && ending.code !== 0) this.#options.onProblem(sayEnding(ending));
  }
}
