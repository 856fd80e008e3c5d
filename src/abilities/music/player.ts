/** What a jukebox asks of a player. A player is a real program; when that ends, the player is of no use any more. */

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
