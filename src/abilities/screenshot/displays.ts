/** Which part of the desktop is meant: all of it, the main display or the secondary one. */
import { type Language, say } from "../../messages/catalogue.ts";
import { type Asking, Complaint, isMissing, noProgram, runWell } from "../shared/programs.ts";

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** X11 knows rectangles, Wayland outputs by name. */
export type Target = { readonly area?: Area | undefined; readonly output?: string | undefined };

type Wanted = "all" | "main" | "secondary";

const WHOLE: Target = {};
const WORDS: readonly (readonly [RegExp, Wanted])[] = [
  [/^(?:|all|both|全部|所有屏幕?)$/i, "all"],
  [/^(?:main|primary|主屏幕?|主显示器)$/i, "main"],
  [/^(?:secondary|second|副屏幕?|副显示器)$/i, "secondary"],
];

/** Where displays cannot be told apart, the main one is the whole; the secondary one is never guessed. */
export async function targetOf(display: string, asking: Asking, isWayland: boolean): Promise<Target> {
  const wanted = wantedIn(display, asking.language);
  if (wanted === "all") return WHOLE;
  const targets = await (isWayland ? waylandOutputs(asking) : x11Monitors(asking)).catch((error: unknown) => {
    if (!isMissing(error) && !(error instanceof Complaint)) throw error;
    return undefined;
  });
  if (wanted === "main") return targets && targets.length > 1 ? (targets[0] ?? WHOLE) : WHOLE;
  const tool = isWayland ? WLR_RANDR : XRANDR;
  if (!targets) throw noProgram(asking.language, [tool]);
  const [, secondary] = targets;
  if (!secondary) throw new Error(say(asking.language, "screenshot.noSecondary"));
  return secondary;
}

const XRANDR = { program: "xrandr", package: "x11-xserver-utils" };
const WLR_RANDR = { program: "wlr-randr", package: "wlr-randr" };

export function wantedIn(display: string, language: Language): Wanted {
  const found = WORDS.find(([pattern]) => pattern.test(display.trim()));
  if (!found) throw new Error(say(language, "screenshot.unknownDisplay", { display }));
  return found[1];
}

async function x11Monitors(asking: Asking): Promise<readonly Target[]> {
  return monitorsIn((await runWell("xrandr", ["--listmonitors"], asking)).stdout.toString());
}

/** The primary one, which has a star, comes first. */
export function monitorsIn(text: string): readonly Target[] {
  const line = /^\s*\d+:\s+\+?(\*?)\S+\s+(\d+)\/\d+x(\d+)\/\d+\+(-?\d+)\+(-?\d+)/gm;
  const found = [...text.matchAll(line)].map(([, star, width, height, x, y]) => ({
    isPrimary: star === "*",
    area: { x: Number(x), y: Number(y), width: Number(width), height: Number(height) },
  }));
  return found.sort((a, b) => Number(b.isPrimary) - Number(a.isPrimary)).map(({ area }) => ({ area }));
}

async function waylandOutputs(asking: Asking): Promise<readonly Target[]> {
  return outputsIn((await runWell("wlr-randr", [], asking)).stdout.toString());
}

/** In the compositor's order: Wayland has no primary output. */
export function outputsIn(text: string): readonly Target[] {
  const blocks = text.split(/^(?=\S)/m);
  return blocks.flatMap((block) => {
    const name = /^(\S+)/.exec(block)?.[1];
    return name && /^\s+Enabled: yes/m.test(block) ? [{ output: name }] : [];
  });
}
