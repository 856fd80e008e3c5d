import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import {
  abilityContext,
  callTool,
  contentsOf,
  failureIn,
  standIn,
} from "../../../test/support/abilities/open-ability.ts";
import { printing, TINY_PNG } from "../../../test/support/abilities/pictures.ts";
import type { OpenAbility } from "../ability.ts";
import { monitorsIn, outputsIn, wantedIn } from "./displays.ts";
import { screenshot } from "./index.ts";

const root = mkdtempSync(join(tmpdir(), "shots-"));
const TOOL = "take_screenshot";
const question = "what is there?";
/** The last argument is the file, with or without a format before it, in all of them. */
const LEAVES_PNG = `for file; do :; done; ${printing(TINY_PNG)} > "\${file#png:}"`;
const WLR_RANDR = `printf '%s\\n' 'eDP-1 "Some panel"' '  Enabled: no' 'HDMI-A-1 "One"' '  Enabled: yes' 'DP-2 "Two"' '  Enabled: yes'`;
const XRANDR = `printf '%s\\n' 'Monitors: 2' ' 0: +DP-1 1280/300x1024/200+1920+0  DP-1' ' 1: +*HDMI-1 1920/509x1080/286+0+0  HDMI-1'`;

describe("a screenshot", { skip: process.platform !== "linux" }, () => {
  after(() => rmSync(root, { recursive: true }));

  it("is a PNG and a line about it, and leaves no file behind", async () => {
    const { ability, calls } = await desktop({ DISPLAY: ":0" }, { scrot: LEAVES_PNG });
    const contents = contentsOf(await callTool(ability, TOOL, { question }));
    assert.deepEqual(contents, [
      { type: "image", data: TINY_PNG.toString("base64"), mimeType: "image/png" },
      { type: "text", text: "Screenshot, 1×1" },
    ]);
    assert.equal(existsSync(dirname(calls()[0]?.split(" ").at(-1) ?? "/")), false);
  });

  const programs: readonly (readonly [string, string, string, string])[] = [
    ["grim", "WAYLAND_DISPLAY", "", "grim FILE"],
    ["grim", "WAYLAND_DISPLAY", "main", "grim -o HDMI-A-1 FILE"],
    ["grim", "WAYLAND_DISPLAY", "副屏", "grim -o DP-2 FILE"],
    ["gnome-screenshot", "WAYLAND_DISPLAY", "", "gnome-screenshot -f FILE"],
    ["spectacle", "DISPLAY", "", "spectacle -b -n -f -o FILE"],
    ["scrot", "DISPLAY", "主屏", "scrot -a 0,0,1920,1080 -o FILE"],
    ["import", "DISPLAY", "secondary", "import -silent -window root -crop 1280x1024+1920+0 +repage png:FILE"],
  ];
  for (const [program, variable, display, expected] of programs) {
    it(`is taken with "${expected}" where display is "${display}"`, async () => {
      const scripts = { [program]: LEAVES_PNG, xrandr: XRANDR, "wlr-randr": WLR_RANDR };
      const { ability, calls } = await desktop({ [variable]: "x" }, scripts);
      await callTool(ability, TOOL, { question, display });
      assert.equal(
        calls()
          .at(-1)
          ?.replace(/\/\S*screen\.png/, "FILE"),
        expected,
      );
    });
  }

  it("is tried with the next program if one fails or leaves something else", async () => {
    const other = 'for file; do :; done; echo text > "$file"';
    const { ability } = await desktop({ DISPLAY: ":0" }, { scrot: other, import: "exit 1", spectacle: LEAVES_PNG });
    assert.equal(contentsOf(await callTool(ability, TOOL, { question }))[0]?.type, "image");
  });

  it("is never half a picture", async () => {
    const half = `for file; do :; done; ${printing(TINY_PNG.subarray(0, 50))} > "$file"`;
    const { ability } = await desktop({ DISPLAY: ":0" }, { scrot: half });
    assert.equal(await failureIn(ability, TOOL, { question }), "scrot failed: it gave nothing that can be used");
  });

  it("says what to install, what failed, and that there is no desktop", async () => {
    const { ability: bare } = await desktop({ DISPLAY: ":0" }, {});
    assert.match(
      await failureIn(bare, TOOL, { question }),
      /install one of: scrot, imagemagick \(import\), x11-apps \(xwd\)/,
    );
    const { ability: dead } = await desktop({ DISPLAY: ":9" }, { scrot: 'echo "Can\'t open X display" >&2; exit 1' });
    assert.equal(await failureIn(dead, TOOL, { question }), "scrot failed: Can't open X display");
    const { ability: none } = await desktop({}, { scrot: LEAVES_PNG });
    assert.match(await failureIn(none, TOOL, { question }, "es"), /^No hay escritorio/);
  });

  it("takes the whole for the main display where nobody can tell, but guesses no secondary one", async () => {
    const { ability, calls } = await desktop({ DISPLAY: ":0" }, { scrot: LEAVES_PNG });
    await callTool(ability, TOOL, { question, display: "main" });
    assert.match(calls().at(-1) ?? "", /^scrot -o \S+$/);
    assert.match(await failureIn(ability, TOOL, { question, display: "secondary" }), /x11-xserver-utils \(xrandr\)/);
    const one = "echo ' 0: +*HDMI-1 1920/509x1080/286+0+0  HDMI-1'";
    const { ability: single } = await desktop({ DISPLAY: ":0" }, { scrot: LEAVES_PNG, xrandr: one });
    assert.equal(await failureIn(single, TOOL, { question, display: "secondary" }, "zh"), "没有副屏");
  });
});

describe("the words for a display", () => {
  const words = { "": "all", main: "main", 主屏: "main", " Secondary ": "secondary", 副屏: "secondary" } as const;
  for (const [word, wanted] of Object.entries(words)) {
    it(`"${word}" → ${wanted}`, () => assert.equal(wantedIn(word, "en"), wanted));
  }
  it("refuses others and says which there are", () =>
    assert.throws(() => wantedIn("left", "en"), { message: "display must be main, secondary or empty, not 'left'" }));
});

describe("what xrandr and wlr-randr say", () => {
  it("puts the primary monitor first", () => {
    const text = "Monitors: 2\n 0: +DP-1 1280/3x1024/2+1920+0  DP-1\n 1: +*HDMI-1 1920/5x1080/2+0+0  HDMI-1\n";
    assert.deepEqual(monitorsIn(text), [
      { area: { x: 0, y: 0, width: 1920, height: 1080 } },
      { area: { x: 1920, y: 0, width: 1280, height: 1024 } },
    ]);
    assert.deepEqual(monitorsIn("xrandr: cannot open display"), []);
  });

  it("leaves out what is switched off", () => {
    assert.deepEqual(outputsIn('A "a"\n  Enabled: no\nB "b"\n  Modes:\n  Enabled: yes\n'), [{ output: "B" }]);
  });
});

async function desktop(
  env: Readonly<Record<string, string>>,
  scripts: Readonly<Record<string, string>>,
): Promise<{ ability: OpenAbility; calls: () => string[] }> {
  const folder = mkdtempSync(join(root, "d-"));
  const log = join(folder, "calls");
  for (const [name, script] of Object.entries(scripts)) standIn(folder, name, `echo ${name} "$*" >> ${log}\n${script}`);
  const ability = await screenshot.open({}, abilityContext({ ...env, PATH: join(folder, "bin") }));
  return { ability, calls: () => readFileSync(log, "utf8").trim().split("\n") };
}
