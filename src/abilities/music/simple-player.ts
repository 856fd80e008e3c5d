/** Players that are started for one song and can do nothing but play it: ffplay, mpg123, VLC without its window. */

import { extname } from "node:path";
import { type ChildLink, openChildLink } from "../../link/child-process.ts";
import { type Ending, sayEnding } from "../../link/ending.ts";
import { type Player, PlayerCannot, type PlayerKind, type PlayerOptions, type Playing } from "./player.ts";

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
    const child = { command, args: [...args, path], env, lineBytes: LINE_BYTES, name: this.name, eofMs: 0 };
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
