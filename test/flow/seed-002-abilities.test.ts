/**
 * This machine's own abilities at a real hub, seen from outside: all are off until they are enabled, each brings the tools
 * that the desktop client has, and says clearly what is missing on this machine. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import {
  type AbilityName,
  ALL_LOCAL,
  assertSchema,
  LEARNING_TOOL,
  LOCAL_TOOLS,
  toolsOf,
} from "../support/local-tools.ts";
import { ABILITIES, abilities, definitionOf, type OpenHub, openHub, untilListed } from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-abilities-"));
const songs = join(folder, "songs");
const codes = join(folder, "codes");
const ON: Readonly<Record<AbilityName, object>> = {
  system: ABILITIES.system,
  applications: ABILITIES.applications,
  calendar: ABILITIES.calendar,
  timers: ABILITIES.timers,
  music: ABILITIES.music(songs),
  camera: ABILITIES.camera,
  screenshot: ABILITIES.screenshot,
  environment: ABILITIES.environment(join(folder, "temperature_humidity.json")),
  infrared: ABILITIES.infrared(codes),
};
/** Nothing here can be seen, heard or taken a picture of. */
const NOTHING = { DISPLAY: "", WAYLAND_DISPLAY: "", IR_SERIAL_PORT: join(folder, "no-such-port") };

let house: OpenHub;
before(async () => {
  for (const made of [songs, codes]) mkdirSync(made);
  writeFileSync(join(songs, "茉莉花.mp3"), Buffer.alloc(4_096));
  writeFileSync(join(songs, "notes.txt"), "no song");
  house = await openHub({}, { env: NOTHING });
});
after(async () => {
  await house?.hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function local(): Promise<string[]> {
  return (await house.http.names("/mcp")).filter((name) => ALL_LOCAL.includes(name)).toSorted();
}

function switchedTo(tools: readonly string[], ...on: readonly object[]): Promise<string[]> {
  house.hub.writeConfig(abilities(...on));
  const isSo = (names: readonly string[]): boolean => names.join() === tools.join();
  return askUntil(`the tools of this machine are ${tools}`, local, isSo);
}

describe("an ability", () => {
  it("is off unless the configuration says otherwise", async () => {
    assert.deepEqual(await local(), []);
  });

  for (const name of Object.keys(ON) as AbilityName[]) {
    const expected = name === "applications" ? toolsOf("system", "applications") : toolsOf(name);
    it(`${name} brings its tools, and only those, while the hub runs`, async () => {
      await switchedTo(expected, ON[name]);
    });
  }

  it("goes as it came", async () => {
    await switchedTo([]);
  });
});

describe("all of them", () => {
  before(() => switchedTo(ALL_LOCAL, ...Object.values(ON)));
  const failure = async (name: string, args: object, headers = {}): Promise<string | undefined> => {
    const params = { name, arguments: args };
    const { body, text } = await house.http.post(
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params },
      headers,
    );
    assert.ok(body.result?.content, text);
    return body.result.isError === true ? body.result.content[0].text : undefined;
  };

  for (const [ability, tools] of Object.entries(LOCAL_TOOLS)) {
    for (const [name, properties] of Object.entries(tools)) {
      it(`have the schema of the real one: ${ability}, ${name}`, async () => {
        assertSchema(await definitionOf(house.http, name), properties);
      });
    }
  }

  it("ask for nothing when a code is learned", async () => {
    assert.deepEqual((await definitionOf(house.http, LEARNING_TOOL)).inputSchema.required ?? [], []);
  });

  it("are reachable beside everything else, and keep their names", async () => {
    await untilListed(house.http, "get_presence", "self.get_device_status");
  });

  it("check their arguments before anything happens", async () => {
    for (const [name, args] of [
      ["self.audio_speaker.set_volume", { volume: 101 }],
      ["self.audio_speaker.set_volume", { volume: "laut" }],
      ["self.application.launch", {}],
      ["timer.start_countdown", { command: "{}", delay: 0 }],
      ["music_player.seek", { position: -1 }],
      ["take_photo", {}],
    ] as const) {
      const { status, body } = await house.http.call("/mcp", name, args);
      assert.deepEqual([status, body.error?.code], [400, -32602], name);
    }
  });

  it("tell the state of this machine as JSON", async () => {
    const status = JSON.parse(await house.http.textOf("/mcp", "self.get_device_status", {})) as Message;
    assert.equal(typeof status, "object");
  });

  it("see the programs that run", async () => {
    const program = spawn("sleep", ["60"]);
    assert.match(await house.http.textOf("/mcp", "self.application.list_running", { filter_name: "sleep" }), /sleep/);
    program.kill();
  });

  it("say what is missing where there is no screen and no camera, in the caller's language", async () => {
    for (const [name, args] of [
      ["take_screenshot", { question: "?", display: "main" }],
      ["take_photo", { question: "?" }],
    ] as const) {
      const said = await failure(name, args);
      if (said === undefined) continue;
      assert.match(said, /\S/);
      assert.doesNotMatch(said, /\n {4}at |undefined|ENOENT/);
      assert.match((await failure(name, args, { "accept-language": "zh" })) ?? "", /[\u4e00-\u9fff]/);
    }
  });

  it("find the songs in the folder, and nothing else", async () => {
    const list = await house.http.textOf("/mcp", "music_player.get_local_playlist", { force_refresh: true });
    assert.match(list, /茉莉花/);
    assert.doesNotMatch(list, /notes/);
  });

  it("say that there is no such song, or no such program", async () => {
    for (const [name, args] of [
      ["music_player.search_and_play", { song_name: "no such song at all" }],
      ["self.application.launch", { app_name: "no such program at all" }],
      ["self.application.kill", { app_name: "no such program at all" }],
    ] as const) {
      const { body, text } = await house.http.call("/mcp", name, args);
      assert.match(body.result?.content?.[0]?.text ?? "", /\S/, text);
      assert.notEqual(body.result.content[0].text, "true", name);
    }
  });
});
