/** mpv as the player: one idle process that is told over its socket what to do. The socket is in a folder of our own. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ChildLink, openChildLink } from "../../link/child-process.ts";
import { sayEnding } from "../../link/ending.ts";
import type { Link } from "../../link/link.ts";
import { openLocalSocket } from "../../link/local-socket.ts";
import { type MpvEvent, MpvIpc } from "./mpv-ipc.ts";
import { type Player, type PlayerKind, type PlayerOptions, type Playing, SOURCE, Unplayable } from "./player.ts";

export const mpv: PlayerKind = { program: "mpv", package: "mpv", plays: () => true, open: openMpv };

/** No window, no keys, no scripts, no downloads: only what it is told. The user's settings of the sound stay. */
const ARGS = ["--idle=yes", "--no-video", "--no-terminal", "--load-scripts=no", "--ytdl=no", "--audio-display=no"];
const LINE_BYTES = 1_048_576;
const START_MS = 10_000;
const LOAD_MS = 15_000;
const LOOK_MS = 20;
/** After the first sound comes the word of a device that would not open, if it comes. */
const AUDIO_MS = 1000;

async function openMpv(options: PlayerOptions): Promise<Player> {
  const folder = await mkdtemp(join(tmpdir(), "zaguan-mpv-"));
  const socket = join(folder, "ipc");
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const args = [...ARGS, ...options.args, `--input-ipc-server=${socket}`];
  const { command, env } = options;
  const child = { command, args, env, lineBytes: LINE_BYTES, name: "mpv", source: SOURCE, eofMs: 0 };
  let process: ChildLink | undefined;
  try {
    process = await openChildLink(child, { onMessage: () => {} });
    const player = new MpvPlayer(process, options, removeFolder);
    await player.connect(socket);
    return player;
  } catch (error) {
    await process?.close();
    await removeFolder();
    throw error;
  }
}

class MpvPlayer implements Player {
  readonly name = "mpv";
  readonly ended: Promise<string>;
  readonly #process: ChildLink;
  readonly #options: PlayerOptions;
  readonly #ipc: MpvIpc;
  #link: Link | undefined;
  #isGone = false;
  /** The song that is being loaded. */
  #loading: PromiseWithResolvers<void> | undefined;

  constructor(process: ChildLink, options: PlayerOptions, removeFolder: () => Promise<void>) {
    this.#process = process;
    this.#options = options;
    this.#ipc = new MpvIpc(
      (line) => this.#link?.send(line) ?? Promise.reject(new Error("not connected")),
      (event) => this.#onEvent(event),
    );
    this.ended = process.closed.then(async (ending) => {
      const reason = sayEnding(ending);
      this.#isGone = true;
      this.#ipc.close(reason);
      this.#loading?.reject(new Unplayable(reason));
      await this.#link?.close();
      await removeFolder();
      return reason;
    });
  }

  /** It makes its socket some time after it has started. */
  async connect(path: string): Promise<void> {
    const until = performance.now() + START_MS;
    const options = { path, lineBytes: LINE_BYTES, name: "mpv" };
    for (;;) {
      try {
        this.#link = await openLocalSocket(options, { onMessage: (line) => this.#ipc.receive(line) });
        return;
      } catch {
        if (this.#isGone) throw new Unplayable(await this.ended);
        if (performance.now() > until) throw new Unplayable("its socket did not appear");
        await sleep(LOOK_MS);
      }
    }
  }

  async play(path: string): Promise<void> {
    const loading = Promise.withResolvers<void>();
    loading.promise.catch(() => {});
    const timer = setTimeout(() => loading.reject(new Unplayable("it does not begin")), LOAD_MS);
    this.#loading = loading;
    try {
      await this.#ipc.request("set_property", "pause", false);
      await this.#ipc.request("loadfile", path, "replace");
      await loading.promise;
      await this.#heard();
    } finally {
      clearTimeout(timer);
      this.#loading = undefined;
    }
  }

  async pause(isPaused: boolean): Promise<void> {
    await this.#ipc.request("set_property", "pause", isPaused);
  }

  async seek(seconds: number): Promise<void> {
    await this.#ipc.request("seek", seconds, "absolute+exact");
  }

  async now(): Promise<Playing> {
    const names = ["idle-active", "pause", "time-pos", "duration"];
    const [isIdle, isPaused, position, duration] = await Promise.all(names.map((name) => this.#ipc.property(name)));
    if (isIdle === true) return { state: "stopped" };
    return {
      state: isPaused === true ? "paused" : "playing",
      position: numberOr(position),
      duration: numberOr(duration),
    };
  }

  async close(): Promise<void> {
    await this.#process.close();
    await this.ended;
  }

  /** mpv begins to play before it knows whether there is a loudspeaker; without one it stops again. */
  async #heard(): Promise<void> {
    const silent = Promise.withResolvers<void>();
    silent.promise.catch(() => {});
    this.#loading = silent;
    if ((await this.#ipc.property("current-ao")) !== undefined) return;
    const timer = setTimeout(() => silent.reject(new Unplayable("no audio output")), AUDIO_MS);
    await silent.promise.finally(() => clearTimeout(timer));
  }

  #onEvent({ event, reason, file_error }: MpvEvent): void {
    if (event === "playback-restart") this.#loading?.resolve();
    if (event !== "end-file" || reason !== "error") return;
    const problem = file_error ?? "unknown";
    if (this.#loading) this.#loading.reject(new Unplayable(problem));
    else this.#options.onProblem(problem);
  }
}

function numberOr(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
