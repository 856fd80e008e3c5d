/**
 * A picture of the screen, as a real PNG, taken with whichever program works on this desktop; with a vision service
 * configured, what is to be seen in it as well.
 */
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { say } from "../../messages/catalogue.ts";
import { defineTool } from "../../user-tools/define.ts";
import type { Ability, AbilityContext, OpenAbility } from "../ability.ts";
import { Asker, type Asking, Complaint, firstThatWorks, onlyLinux, runWell } from "../shared/programs.ts";
import { described } from "../shared/tools.ts";
import { imageContent, type Picture, pictureIn, sizeOfPng, Vision, type VisionSettings } from "../shared/vision.ts";
import { type Area, type Target, targetOf } from "./displays.ts";

interface ScreenshotSettings {
  /** Who answers the question about the picture. @default nobody: the caller looks at it */
  readonly vision?: VisionSettings | undefined;
}

export const screenshot: Ability<ScreenshotSettings> = {
  name: "screenshot",
  open: async (settings, context) => openScreenshot(settings, context),
};

function openScreenshot(settings: ScreenshotSettings, context: AbilityContext): OpenAbility {
  const vision = settings.vision && new Vision(settings.vision);
  const asker = new Asker(context.env);
  const tool = defineTool({
    name: "take_screenshot",
    ...described("screenshot.take_screenshot"),
    properties: { question: { type: "string" }, display: { type: "string", default: "" } },
    readOnly: true,
    handler: async ({ question, display }, call) => {
      const asking = asker.ask(call);
      const picture = await takeScreenshot(display, asking);
      if (vision) return vision.contents(picture, question, asking);
      return [
        imageContent(picture),
        { type: "text", text: say(call.language, "screenshot.taken", sizeOfPng(picture)) },
      ];
    },
  });
  const close = async (): Promise<void> => {
    asker.close();
    await vision?.close();
  };
  return { tools: [tool], close };
}

interface Program {
  readonly program: string;
  readonly package: string;
  /** What it cannot take alone (an area, an output) it is not asked for. */
  readonly can: { readonly area?: true; readonly output?: true };
  /** One or more command lines that leave a PNG in `file`. */
  steps(file: string, target: Target): readonly (readonly string[])[];
}

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 20_971_520;

const GNOME: Program = {
  program: "gnome-screenshot",
  package: "gnome-screenshot",
  can: {},
  steps: (file) => [["gnome-screenshot", "-f", file]],
};
const SPECTACLE: Program = {
  program: "spectacle",
  package: "kde-spectacle",
  can: {},
  steps: (file) => [["spectacle", "-b", "-n", "-f", "-o", file]],
};
const WAYLAND: readonly Program[] = [
  {
    program: "grim",
    package: "grim",
    can: { output: true },
    steps: (file, { output }) => [["grim", ...(output === undefined ? [] : ["-o", output]), file]],
  },
  GNOME,
  SPECTACLE,
];
const X11: readonly Program[] = [
  {
    program: "scrot",
    package: "scrot",
    can: { area: true },
    steps: (file, { area }) => [["scrot", ...(area ? ["-a", commas(area)] : []), "-o", file]],
  },
  {
    program: "import",
    package: "imagemagick",
    can: { area: true },
    steps: (file, { area }) => [["import", "-silent", "-window", "root", ...crop(area), `png:${file}`]],
  },
  {
    program: "xwd",
    package: "x11-apps",
    can: { area: true },
    steps: (file, { area }) => [
      ["xwd", "-root", "-silent", "-out", `${file}.xwd`],
      ["convert", `xwd:${file}.xwd`, ...crop(area), `png:${file}`],
    ],
  },
  GNOME,
  SPECTACLE,
];
const MACOS: Program = {
  program: "screencapture",
  package: "macOS",
  can: { output: true },
  steps: (file, { output }) => [["screencapture", "-x", "-t", "png", ...(output ? ["-D", output] : []), file]],
};

async function takeScreenshot(display: string, asking: Asking): Promise<Picture> {
  const { programs, target } = await desktopOf(display, asking);
  const able = programs.filter(({ can }) => (!target.area || can.area) && (target.output === undefined || can.output));
  const folder = await mkdtemp(join(tmpdir(), "zaguan-screenshot-"));
  try {
    const file = join(folder, "screen.png");
    const candidates = able.map((program) => ({ ...program, run: () => shoot(program, file, target, asking) }));
    return await firstThatWorks(asking.language, candidates);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function desktopOf(display: string, asking: Asking): Promise<{ programs: readonly Program[]; target: Target }> {
  if (process.platform === "darwin") return { programs: [MACOS], target: macTarget(display) };
  if (process.platform !== "linux") throw onlyLinux(asking.language);
  const { WAYLAND_DISPLAY: wayland, DISPLAY: x11 } = asking.env;
  if (!wayland && !x11) throw new Error(say(asking.language, "screenshot.noDesktop"));
  // What an X11 program sees inside Wayland is black.
  const isWayland = Boolean(wayland);
  return { programs: isWayland ? WAYLAND : X11, target: await targetOf(display, asking, isWayland) };
}

function macTarget(display: string): Target {
  return /second|副/i.test(display) ? { output: "2" } : { output: "1" };
}

async function shoot(program: Program, file: string, target: Target, asking: Asking): Promise<Picture> {
  await rm(file, { force: true });
  for (const [command = "", ...args] of program.steps(file, target)) {
    await runWell(command, args, asking, { timeoutMs: TIMEOUT_MS });
  }
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  const picture = size > MAX_BYTES ? undefined : pictureIn(await readFile(file).catch(() => Buffer.alloc(0)));
  if (!picture) throw new Complaint(program.program, say(asking.language, "ability.unexpectedOutput"));
  return picture;
}

function commas({ x, y, width, height }: Area): string {
  return [x, y, width, height].join(",");
}

function crop(area: Area | undefined): string[] {
  return area ? ["-crop", `${area.width}x${area.height}+${area.x}+${area.y}`, "+repage"] : [];
}
