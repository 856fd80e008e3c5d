import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { abilityContext, callTool, failureIn, writeFiles } from "../../../test/support/abilities/open-ability.ts";
import { eventually } from "../../../test/support/abilities/playing.ts";
import type { OpenAbility } from "../ability.ts";
import { type MusicSettings, music } from "./index.ts";
import { findSong, type Track, tagsIn } from "./library.ts";
import { lyricsIn } from "./lyrics.ts";

const root = mkdtempSync(join(tmpdir(), "library-"));
const LIST = "music_player.get_local_playlist";

after(() => rmSync(root, { recursive: true }));

describe("the songs of a folder", () => {
  it("are listed by title and artist, or by their files' names, from all folders", async () => {
    const ability = await libraryOf({
      "a/b/track 01.mp3": id3(3, { TIT2: utf16("稻香"), TPE1: utf16("周杰伦") }),
      "Some Song.OGG": "OggS",
      "cover.jpg": "",
      "notes.txt": "",
      "empty.flac": "",
    });
    assert.equal(
      await callTool(ability, LIST, {}, { language: "zh" }),
      "本地音乐歌单 (共3首):\nempty\nSome Song\n稻香 - 周杰伦",
    );
  });

  it("are looked for again when told so, and when a song is not found", async () => {
    const ability = await libraryOf({ "one.mp3": "" });
    assert.equal(await callTool(ability, LIST), "Local songs (1):\none");
    writeFiles(folderOf(ability), { "two.mp3": "" });
    assert.equal(await callTool(ability, LIST), "Local songs (1):\none");
    assert.equal(await callTool(ability, LIST, { force_refresh: true }), "Local songs (2):\none\ntwo");
    writeFiles(folderOf(ability), { "three.mp3": "" });
    assert.match(
      await failureIn(ability, "music_player.search_and_play", { song_name: "three" }),
      /install one of: mpv/,
    );
    assert.match(await failureIn(ability, "music_player.search_and_play", { song_name: "four" }), /^No song 'four'/);
  });

  it("are not all listed where there are very many", async () => {
    const ability = await libraryOf(
      Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`${index}.mp3`, ""])),
    );
    const lines = String(await callTool(ability, LIST)).split("\n");
    assert.deepEqual([lines[0], lines.length, lines.at(-1)], ["Local songs (250):", 202, "… and 50 more"]);
  });

  it("are none outside the folder, where a link leads", { skip: process.platform === "win32" }, async () => {
    const ability = await libraryOf({ "inside.mp3": "" });
    writeFiles(root, { "outside/other.mp3": "" });
    symlinkSync(join(root, "outside"), join(folderOf(ability), "link"));
    symlinkSync(folderOf(ability), join(folderOf(ability), "circle"));
    assert.equal(await callTool(ability, LIST), "Local songs (1):\ninside");
  });

  it("cannot be told of a folder that is not there, or is empty", async () => {
    const none = await music.open({ folder: join(root, "none") }, abilityContext({}));
    assert.equal(await failureIn(none, LIST), "The music folder cannot be read: ENOENT");
    assert.equal(await callTool(await libraryOf({ "x.txt": "" }), LIST), "There are no songs in the music folder");
  });
});

describe("players that can only play", { skip: process.platform !== "linux" }, () => {
  it("say so when asked for more, and stop", async () => {
    const ability = await libraryOf({ "one.mp3": "" }, { player: program("ffplay", "exec sleep 60") });
    const call = (tool: string): Promise<unknown> => callTool(ability, `music_player.${tool}`);
    assert.equal(await callTool(ability, "music_player.search_and_play", { song_name: "one" }), "Playing: one");
    assert.equal(((await call("get_status")) as Record<string, unknown>)["player"], "ffplay");
    assert.equal(
      await failureIn(ability, "music_player.pause"),
      "ffplay cannot do this; mpv can (install the package mpv)",
    );
    assert.equal(await call("stop"), "Stopped: one");
    assert.deepEqual(await call("get_status"), { state: "stopped", title: "one" });
  });

  it("say so, too, of songs that they do not know", async () => {
    const settings = { player: program("mpg123", "exec sleep 60") };
    const ability = await libraryOf({ "one.flac": "", "two.mp3": "" }, settings);
    const refusal = await failureIn(ability, "music_player.search_and_play", { song_name: "one" });
    assert.equal(refusal, "mpg123 cannot do this; mpv can (install the package mpv)");
    assert.equal(await callTool(ability, "music_player.search_and_play", { song_name: "two" }), "Playing: two");
    await ability.close();
  });

  it("are taken where mpv is not there", async () => {
    const ability = await libraryOf({ "one.mp3": "" }, {}, dirname(program("mpg123", "exec sleep 60")));
    assert.equal(await callTool(ability, "music_player.search_and_play", { song_name: "one" }), "Playing: one");
    const status = (await callTool(ability, "music_player.get_status")) as Record<string, unknown>;
    assert.deepEqual([status["state"], status["player"]], ["playing", "mpg123"]);
    await ability.close();
  });

  it("are told of when they fail", async () => {
    const ability = await libraryOf({ "one.mp3": "" }, { player: program("ffplay", "echo 'bad file' >&2; exit 1") });
    await callTool(ability, "music_player.search_and_play", { song_name: "one" });
    const problem = async (): Promise<unknown> =>
      ((await callTool(ability, "music_player.get_status")) as Record<string, unknown>)["problem"];
    await eventually("it is noticed", async () => (await problem()) !== undefined);
    assert.equal(await problem(), "exited with code 1: bad file");
  });
});

describe("finding a song", () => {
  const tracks = [
    track("稻香", "周杰伦"),
    track("菊花台", "周杰伦"),
    track("Let It Be", "The Beatles"),
    track("Let It Be Me", "Somebody"),
    track("Yesterday", "The Beatles"),
    track("01 sonata", undefined, "Mozart/01 sonata.ogg"),
  ];
  const wishes: readonly (readonly [string, string | undefined])[] = [
    ["稻香", "稻香"],
    ["播放周杰伦的菊花台", "菊花台"],
    ["let it be", "Let It Be"],
    ["LET IT BE ME", "Let It Be Me"],
    ["yesterday beatles", "Yesterday"],
    ["The Beatles - Yesterday", "Yesterday"],
    ["mozart sonata", "01 sonata"],
    ["Ｙesterday", "Yesterday"],
    ["nothing like it", undefined],
    ["", undefined],
    ["!?", undefined],
  ];
  for (const [wish, title] of wishes) {
    it(`"${wish}" → ${title ?? "none"}`, () => assert.equal(findSong(tracks, wish)?.title, title));
  }
});

describe("tags", () => {
  const text = (encoding: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.from([encoding]), bytes]);

  it("of ID3 in its three versions and four encodings", () => {
    const latin = text(0, Buffer.from("Canción", "latin1"));
    assert.deepEqual(tagsIn(id3(3, { TIT2: latin, TPE1: utf16("甲") })), { title: "Canción", artist: "甲" });
    assert.deepEqual(tagsIn(id3(4, { COMM: Buffer.alloc(300), TIT2: text(3, Buffer.from("é\0")) })), { title: "é" });
    assert.deepEqual(tagsIn(id3(2, { TT2: latin, TP1: latin })), { title: "Canción", artist: "Canción" });
    assert.deepEqual(tagsIn(id3(4, { TIT2: text(2, Buffer.from([0x75, 0x32])) })), { title: "甲" });
  });

  it("of ID3 behind an extended header, which says its length in two ways", () => {
    const title = { TIT2: text(0, Buffer.from("Hi")) };
    const long = Buffer.alloc(196);
    for (const [version, length] of [
      [3, Buffer.from([0, 0, 0, 196])],
      [4, sevenBits(200)],
    ] as const) {
      const file = id3(version, title, Buffer.concat([length, long]));
      assert.deepEqual(tagsIn(file), { title: "Hi" }, `${version}`);
    }
  });

  it("of flac", () => {
    const comments = ["ARTIST=周杰伦", "album=x", "Title=稻香"].map((comment) => sized(Buffer.from(comment)));
    const block = Buffer.concat([sized(Buffer.from("vendor")), uint32(comments.length), ...comments]);
    const other = Buffer.concat([Buffer.from([0, 0, 0, 34]), Buffer.alloc(34)]);
    const head = Buffer.from([0x84, 0, 0, block.length]);
    assert.deepEqual(tagsIn(Buffer.concat([Buffer.from("fLaC"), other, head, block])), {
      title: "稻香",
      artist: "周杰伦",
    });
  });

  it("are none in what is cut off, broken or something else, however it is cut", () => {
    const whole = id3(3, { TIT2: utf16("稻香"), TPE1: utf16("周杰伦") });
    for (let length = 0; length < whole.length; length++) assert.ok(tagsIn(whole.subarray(0, length)));
    const huge = Buffer.concat([Buffer.from("fLaC"), Buffer.from([4, 0, 0, 20]), Buffer.alloc(20, 0xff)]);
    assert.deepEqual([tagsIn(huge), tagsIn(Buffer.from("RIFF")), tagsIn(Buffer.alloc(0))], [{}, {}, {}]);
  });
});

describe("lyrics", () => {
  it("come in the order of their times, without what is about the song", () => {
    const text = "[ar:周杰伦]\r\n[00:20.50]second\r\n[00:10.00][01:05.2]first and last\r\n[00:15]\r\n";
    assert.deepEqual(lyricsIn(text), ["[00:10] first and last", "[00:20] second", "[01:05] first and last"]);
  });

  it("without times stay as they are", () => assert.deepEqual(lyricsIn("[ti:x]\none\n\ntwo"), ["one", "two"]));

  it("are read beside the song, also in an old Chinese encoding", { skip: process.platform !== "linux" }, async () => {
    const gbk = Buffer.from([...Buffer.from("[00:01]"), 0xb5, 0xbe, 0xcf, 0xe3]);
    const files = { "one.mp3": "", "one.lrc": gbk, "two.mp3": "" };
    const ability = await libraryOf(files, { player: program("ffplay", "exec sleep 60") });
    assert.equal(await failureIn(ability, "music_player.get_lyrics"), "No music is playing");
    await callTool(ability, "music_player.search_and_play", { song_name: "one" });
    assert.equal(await callTool(ability, "music_player.get_lyrics", {}, { language: "zh" }), "歌词内容:\n[00:01] 稻香");
    await callTool(ability, "music_player.search_and_play", { song_name: "two" });
    assert.match(await failureIn(ability, "music_player.get_lyrics"), /^There are no lyrics for two: put an \.lrc/);
    await ability.close();
  });
});

const folders = new Map<OpenAbility, string>();

/** On a machine without any player but the one in the settings. */
async function libraryOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  settings: MusicSettings = {},
  path = "/nowhere",
): Promise<OpenAbility> {
  const folder = mkdtempSync(join(root, "songs-"));
  writeFiles(folder, files);
  const ability = await music.open({ folder, ...settings }, abilityContext({ PATH: path }));
  folders.set(ability, folder);
  return ability;
}

function folderOf(ability: OpenAbility): string {
  return folders.get(ability) ?? "";
}

function program(name: string, script: string): string {
  const folder = mkdtempSync(join(root, "bin-"));
  writeFiles(folder, { [name]: `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n` });
  chmodSync(join(folder, name), 0o755);
  return join(folder, name);
}

function track(title: string, artist: string | undefined, place = `${title}.mp3`): Track {
  return { path: `/music/${place}`, place, title, artist };
}

function utf16(text: string): Buffer {
  return Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, "utf16le")]);
}

function id3(version: 2 | 3 | 4, frames: Readonly<Record<string, Buffer>>, extended = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([extended, ...Object.entries(frames).map(([name, data]) => frame(version, name, data))]);
  return Buffer.concat([
    Buffer.from("ID3"),
    Buffer.from([version, 0, extended.length > 0 ? 0x40 : 0]),
    sevenBits(body.length + 20),
    body,
    Buffer.alloc(20),
  ]);
}

function frame(version: 2 | 3 | 4, name: string, data: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  if (version === 2) return Buffer.concat([Buffer.from(name), size.subarray(1), data]);
  return Buffer.concat([Buffer.from(name), version === 4 ? sevenBits(data.length) : size, Buffer.alloc(2), data]);
}

function sevenBits(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));
}

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
