import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { abilityContext, callTool, failureIn, standIn } from "../../../test/support/abilities/open-ability.ts";
import type { OpenAbility } from "../ability.ts";
import { openSystem } from "./index.ts";

const root = mkdtempSync(join(tmpdir(), "volume-"));
const GET = "self.audio_speaker.get_volume";
const SET = "self.audio_speaker.set_volume";

/** As the real ones answer, to the letter. */
const WPCTL = `case $1 in get-volume) echo 'Volume: 0.40 [MUTED]' ;; esac`;
const PACTL = `case $1 in
  get-sink-volume) echo 'Volume: front-left: 26214 /  35% / -23.88 dB,   front-right: 26214 /  35% / -23.88 dB' ;;
  get-sink-mute) echo 'Mute: no' ;;
esac`;
const AMIXER = `case $* in
  *sget*) printf '%s\\n' "Simple mixer control 'Master',0" '  Limits: 0 - 65536' '  Front Left: Playback 36700 [56%] [on]' ;;
esac`;

describe("the volume", { skip: process.platform !== "linux" }, () => {
  after(() => rmSync(root, { recursive: true }));

  const programs: readonly (readonly [string, string, number, readonly string[]])[] = [
    ["wpctl", WPCTL, 40, ["set-volume @DEFAULT_AUDIO_SINK@ 0.25", "set-mute @DEFAULT_AUDIO_SINK@ 0"]],
    ["pactl", PACTL, 35, ["set-sink-volume @DEFAULT_SINK@ 25%", "set-sink-mute @DEFAULT_SINK@ 0"]],
    ["amixer", AMIXER, 56, ["-M -q sset Master 25% unmute"]],
  ];
  for (const [program, script, level, changes] of programs) {
    it(`is read and set with ${program}`, async () => {
      const { ability, calls } = machineWith({ [program]: script });
      assert.equal(await callTool(ability, GET), level);
      const before = calls().length;
      assert.equal(await callTool(ability, SET, { volume: 25 }), "Volume set to 25");
      assert.deepEqual(calls().slice(before), changes);
    });
  }

  it("is tried with the next program if one is there but does not work", async () => {
    const { ability } = machineWith({ wpctl: "echo 'Could not connect to PipeWire' >&2; exit 69", amixer: AMIXER });
    assert.equal(await callTool(ability, GET), 56);
  });

  it("says which packages to install where there is no program at all", async () => {
    const { ability } = machineWith({});
    assert.equal(
      await failureIn(ability, SET, { volume: 25 }),
      "No program for this was found on this machine; install one of: wireplumber (wpctl), pulseaudio-utils (pactl), alsa-utils (amixer)",
    );
    assert.match(await failureIn(ability, SET, { volume: 25 }, "zh"), /^本机没有可用的程序.*wpctl/);
  });

  it("says why, if a program is there and failed, and never that it was set", async () => {
    const { ability } = machineWith({ wpctl: "exit 69", pactl: "echo 'Connection refused' >&2; exit 1" });
    assert.equal(
      await failureIn(ability, SET, { volume: 25 }),
      "wpctl failed: exit code 69; pactl failed: Connection refused",
    );
  });

  it("is not made up from an answer that holds none", async () => {
    const { ability } = machineWith({ wpctl: "echo something else" });
    assert.equal(await failureIn(ability, GET), "wpctl failed: it gave nothing that can be used");
  });

  it("is left out of the status where it cannot be read, and is in it where it can", async () => {
    const silent = (await callTool(machineWith({}).ability, "self.get_device_status")) as Record<string, unknown>;
    assert.equal("audio_speaker" in silent, false);
    const { ability } = machineWith({ wpctl: WPCTL });
    const status = (await callTool(ability, "self.get_device_status")) as Record<string, unknown>;
    assert.deepEqual(status["audio_speaker"], { volume: 40, muted: true });
  });
});

function machineWith(scripts: Readonly<Record<string, string>>): { ability: OpenAbility; calls: () => string[] } {
  const folder = mkdtempSync(join(root, "m-"));
  const log = join(folder, "calls");
  for (const [name, script] of Object.entries(scripts)) standIn(folder, name, `echo "$*" >> ${log}\n${script}`);
  const ability = openSystem({}, abilityContext({ PATH: join(folder, "bin") }));
  return { ability, calls: () => readFileSync(log, "utf8").trim().split("\n") };
}
