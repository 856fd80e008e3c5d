/** Screenshots of a real X server (Xvfb) by the real programs; skipped, with the reason, where they are not installed. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { screenshot } from "../../src/abilities/screenshot/index.ts";
import { abilityContext, callTool, contentsOf, failureIn, standIn } from "../support/abilities/open-ability.ts";
import { missingPrograms, openVirtualScreen, type VirtualScreen } from "../support/abilities/virtual-screen.ts";
import { runProgram } from "../support/run-program.ts";

const NEEDED = ["Xvfb", "xclock", "xwininfo", "xsetroot", "xrandr", "convert", "scrot", "import", "xwd"];
const missing = missingPrograms(...NEEDED);
const skip =
  missing.length > 0 &&
  `not installed: ${missing.join(", ")} (packages xvfb, x11-apps, x11-utils, x11-xserver-utils, imagemagick, scrot)`;
const BACKGROUND = "#204060";
const WINDOW = "#FF8800";

describe("a screenshot of a real X server", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), "real-shots-"));
  let screen: VirtualScreen;

  before(async () => {
    screen = await openVirtualScreen("800x600");
    screen.run("xsetroot", "-solid", BACKGROUND);
    screen.run("xrandr", "--setmonitor", "*left", "400/100x600/150+0+0", "screen");
    screen.run("xrandr", "--setmonitor", "right", "400/100x600/150+400+0", "none");
    await screen.show("clock", "xclock", "-bg", WINDOW, "-geometry", "200x200+500+100");
  });
  after(async () => {
    await screen.close();
    rmSync(folder, { recursive: true });
  });

  for (const program of ["scrot", "import", "xwd"]) {
    describe(`by ${program}`, () => {
      it("shows the whole desktop with its window", async () => {
        const { width, height, colours } = await shot(program, "", ["2,2", "502,102"]);
        assert.deepEqual([width, height, colours], [800, 600, [BACKGROUND, WINDOW]]);
      });

      it("shows the main display alone", async () => {
        const { width, height, colours } = await shot(program, "main", ["2,2", "102,102"]);
        assert.deepEqual([width, height, colours], [400, 600, [BACKGROUND, BACKGROUND]]);
      });

      it("shows the secondary display alone", async () => {
        const { width, height, colours } = await shot(program, "副屏", ["2,2", "102,102"]);
        assert.deepEqual([width, height, colours], [400, 600, [BACKGROUND, WINDOW]]);
      });
    });
  }

  it("says why, where there is no such X server", async () => {
    const ability = await screenshot.open({}, abilityContext({ PATH: process.env["PATH"], DISPLAY: ":9999" }));
    assert.match(
      await failureIn(ability, "take_screenshot", { question: "?" }),
      /scrot failed: .*display.*; import failed: /i,
    );
  });

  async function shot(program: string, display: string, points: readonly string[]): Promise<Shot> {
    const ability = await screenshot.open({}, abilityContext({ PATH: pathWith(program), DISPLAY: screen.display }));
    const [image, text] = contentsOf(await callTool(ability, "take_screenshot", { question: "?", display }));
    assert.ok(image?.type === "image" && image.mimeType === "image/png");
    assert.equal(text?.type, "text");
    const file = join(folder, "shot.png");
    writeFileSync(file, Buffer.from(image.data, "base64"));
    return await look(file, points);
  }

  /** No other program that takes pictures is found there. */
  function pathWith(program: string): string {
    const bin = mkdtempSync(join(folder, "bin-"));
    for (const name of [program, "xrandr", "convert"]) {
      standIn(bin, name, `PATH='${process.env["PATH"]}' exec ${name} "$@"`);
    }
    return join(bin, "bin");
  }
});

interface Shot {
  readonly width: number;
  readonly height: number;
  readonly colours: readonly string[];
}

/** What a program that nobody here wrote finds in the file. */
async function look(file: string, points: readonly string[]): Promise<Shot> {
  const colours = points.map((point) => `%[hex:u.p{${point}}]`).join(" ");
  const { stdout } = await runProgram("convert", [file, "-depth", "8", "-format", `%w %h ${colours}`, "info:"]);
  const [width, height, ...found] = stdout.trim().split(" ");
  return { width: Number(width), height: Number(height), colours: found.map((colour) => `#${colour.slice(0, 6)}`) };
}
