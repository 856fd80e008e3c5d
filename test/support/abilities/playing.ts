/** What music must do with mpv: one suite for the real one and for its stand-in. */
import assert from "node:assert/strict";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, describe, it } from "node:test";
import type { OpenAbility } from "../../../src/abilities/ability.ts";
import { type MusicSettings, music } from "../../../src/abilities/music/index.ts";
import { isRunning, ownChildren, until } from "../processes.ts";
import { abilityContext, callTool, failureIn, writeFiles } from "./open-ability.ts";

export interface MpvUnderTest {
  readonly player: string;
  /** A way to play without a loudspeaker. */
  readonly silent: readonly string[];
  /** A loudspeaker that is not there. */
  readonly broken: readonly string[];
  readonly skip: string | boolean;
}

interface Status {
  readonly state: string;
  readonly title?: string;
  readonly position?: number;
  readonly duration?: number;
  readonly player?: string;
  readonly problem?: string;
}

export function describePlaying(title: string, { player, silent, broken, skip }: MpvUnderTest): void {
  describe(title, { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), "songs-"));
    const lines: string[] = [];
    let ability: OpenAbility | undefined;
    writeFiles(folder, {
      "one.wav": wav(20),
      "two.wav": wav(30),
      "short.wav": wav(0.3),
      "broken.mp3": "this is no music",
    });
    afterEach(async () => {
      await ability?.close();
      assert.deepEqual(playerPids(), []);
    });
    after(() => rmSync(folder, { recursive: true }));

    it("plays a song, tells how far it is, and plays another in its place", async () => {
      await opened();
      assert.equal(await play("one"), "Playing: one");
      const { state, title: song, duration, player: name } = await status();
      assert.deepEqual([state, song, duration, name], ["playing", "one", 20, "mpv"]);
      await eventually("it goes on", async () => ((await status()).position ?? 0) > 0);
      const [pid] = playerPids();
      assert.equal(await play("two"), "Playing: two");
      assert.deepEqual([(await status()).duration, playerPids()], [30, [pid]]);
    });

    it("pauses, goes to a place and goes on", async () => {
      await opened();
      await play("one");
      assert.equal(await call("pause"), "Paused: one");
      assert.equal(await call("seek", { position: 7 }), "Now at 00:07");
      // mpv counts what is heard, and the sound of the last moments is still on its way.
      await eventually("it is there", async () => Math.abs(((await status()).position ?? 0) - 7) < 1);
      assert.equal((await status()).state, "paused");
      assert.equal(await call("resume"), "Playing on: one");
      await eventually("it goes on", async () => ((await status()).position ?? 0) > 8);
      assert.equal(await call("play_pause"), "Paused: one");
      assert.equal(await call("play_pause"), "Playing on: one");
      assert.equal((await status()).state, "playing");
    });

    it("plays a new song though the last one was paused", async () => {
      await opened();
      await play("one");
      await call("pause");
      await play("two");
      assert.equal((await status()).state, "playing");
    });

    it("stops, ends its program, and begins again when asked", async () => {
      await opened();
      await play("one");
      assert.equal(await call("stop"), "Stopped: one");
      assert.deepEqual(playerPids(), []);
      assert.deepEqual(await status(), { state: "stopped", title: "one" });
      assert.equal(await fails("pause"), "No music is playing");
      assert.equal(await call("play_pause"), "Playing: one");
    });

    it("is over when the song is over", async () => {
      await opened();
      await play("short");
      await eventually("it is over", async () => (await status()).state === "stopped");
      assert.equal((await status()).problem, undefined);
      assert.equal(await fails("seek", { position: 1 }), "No music is playing");
    });

    it("tells what cannot be played, and plays the next all the same", async () => {
      await opened();
      const text = await fails("search_and_play", { song_name: "broken" });
      assert.equal(text, "broken cannot be played: unrecognized file format");
      assert.equal(await play("one"), "Playing: one");
    });

    it("tells that there is no loudspeaker", async () => {
      await opened({ args: broken });
      assert.match(await fails("search_and_play", { song_name: "one" }), /^one cannot be played: .*audio output/);
    });

    it("notices that its program died, says so, and starts it anew", async () => {
      await opened();
      await play("one");
      const [pid] = playerPids();
      process.kill(pid as number, "SIGKILL");
      await eventually("it is noticed", async () => (await status()).problem !== undefined);
      assert.deepEqual(await status(), { state: "stopped", title: "one", problem: "killed by SIGKILL" });
      assert.deepEqual(lines, ["the music stopped: killed by SIGKILL"]);
      assert.equal(await fails("pause"), "The player ended unexpectedly: killed by SIGKILL");
      assert.equal(await play("two"), "Playing: two");
      assert.equal((await status()).problem, undefined);
    });

    it("leaves neither program nor folder behind when it is closed", async () => {
      await opened();
      await play("one");
      const socket = socketOf(playerPids()[0] as number);
      assert.ok(existsSync(socket));
      await ability?.close();
      assert.deepEqual([playerPids(), existsSync(join(socket, ".."))], [[], false]);
      assert.equal(await fails("search_and_play", { song_name: "one" }), "one cannot be played: closed");
    });

    async function opened(settings: Partial<MusicSettings> = {}): Promise<void> {
      lines.length = 0;
      const context = {
        ...abilityContext({ PATH: process.env["PATH"] }),
        log: (line: string) => void lines.push(line),
      };
      ability = await music.open({ folder, player, args: silent, ...settings }, context);
    }

    async function call(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
      return await callTool(ability as OpenAbility, `music_player.${tool}`, args);
    }

    async function fails(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
      return await failureIn(ability as OpenAbility, `music_player.${tool}`, args);
    }

    async function play(song_name: string): Promise<unknown> {
      return await call("search_and_play", { song_name });
    }

    async function status(): Promise<Status> {
      return (await call("get_status")) as Status;
    }
  });
}

/** Silence, 8 kHz, one byte each. */
export function wav(seconds: number): Buffer {
  const length = Math.round(seconds * 8000);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(length, 40);
  return Buffer.concat([head, Buffer.alloc(length, 128)]);
}

export async function eventually(what: string, condition: () => Promise<boolean>): Promise<void> {
  let holds = false;
  let asking = false;
  await until(what, () => {
    if (!asking) {
      asking = true;
      void condition().then((answer) => {
        holds = answer;
        asking = false;
      });
    }
    return holds;
  });
}

function playerPids(): number[] {
  return ownChildren().filter((pid) => isRunning(pid) && commandOf(pid).includes("--input-ipc-server="));
}

function socketOf(pid: number): string {
  return /--input-ipc-server=([^\0]+)/.exec(commandOf(pid))?.[1] ?? "";
}

function commandOf(pid: number): string {
  return globSync(`/proc/${pid}/cmdline`).length > 0 ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
}
