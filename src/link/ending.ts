/** How a connection or a program ended. Code decides by `kind` and `code`; the texts are for people. */
export interface Ending {
  /**
   * `exited`, `killed`: a program ended by itself, or by a signal. `closed`: the other side said goodbye. `lost`: it is gone
   * without a word. `unfit`: it broke the protocol or a limit, so that we ended it. `ours`: we closed it, being done.
   */
  readonly kind: "exited" | "killed" | "closed" | "lost" | "unfit" | "ours";
  /** The exit code of a program, or the close code of a WebSocket. */
  readonly code?: number | undefined;
  /** What callers may be told. */
  readonly reason: string;
  readonly obstacle?: Obstacle | undefined;
  /** The other side's last words. Those of a program may hold a path or a secret: they are for the log. */
  readonly words?: string | undefined;
}

/** What stood in the way, where it is one of the usual things: for those who are told no more than that. */
export type Obstacle = "refused" | "timeout" | "credentials";

export const CLOSED: Ending = { kind: "ours", reason: "closed" };

export function lost(reason: string): Ending {
  return { kind: "lost", reason };
}

export function unfit(reason: string): Ending {
  return { kind: "unfit", reason };
}

/** For the log and for administrators: with its last words, which the reason of a goodbye has already. */
export function sayEnding({ kind, reason, words }: Ending): string {
  return kind === "closed" || words === undefined ? reason : `${reason}: ${words}`;
}
