/** Numbers of devices in the units of people, and back: percent, kelvin, colours. Pure. */

/** A number that is one, or a text that is one. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

export interface Scale {
  readonly from: number;
  readonly to: number;
}

/** A device's number on its scale, in percent. */
export function toPercent(value: unknown, { from, to }: Scale): number | undefined {
  const number = numberOf(value);
  // Adding 0 makes 0 of -0, which a scale that runs downwards gives.
  return number === undefined ? undefined : Math.round(((number - from) / (to - from)) * 100) + 0;
}

export function fromPercent(percent: number, { from, to }: Scale): number {
  const value = Math.round(from + (percent / 100) * (to - from));
  // The smallest percentage above 0 must not become 0, which turns a lamp off.
  return value === from && percent > 0 && Math.abs(to - from) > 1 ? from + Math.sign(to - from) : value;
}

/** Kelvin of mireds, and mireds of kelvin. */
export function reciprocal(value: unknown): number | undefined {
  const number = numberOf(value);
  return number === undefined || number <= 0 ? undefined : Math.round(1_000_000 / number);
}

/** `#rrggbb` of an object with r, g and b, with hue and saturation, or with x and y; and of lists of these as texts. */
export function colorOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const given = value as Readonly<Record<string, unknown>>;
  const numbers = (...names: readonly string[]): readonly number[] | undefined => {
    const found = names.map((name) => numberOf(given[name]));
    return found.every((each) => each !== undefined) ? found : undefined;
  };
  const rgb = numbers("r", "g", "b");
  if (rgb) return hexOf(rgb);
  const hs = numbers("hue", "saturation") ?? numbers("h", "s");
  if (hs) return hexOf(rgbOfHue(hs[0] ?? 0, hs[1] ?? 0));
  const xy = numbers("x", "y");
  return xy && hexOf(rgbOfXy(xy[0] ?? 0, xy[1] ?? 0));
}

export function rgbOf(hex: string): { readonly r: number; readonly g: number; readonly b: number } {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return { r, g, b };
}

/** Degrees and percent. */
export function hueOf(hex: string): { readonly h: number; readonly s: number } {
  const { r, g, b } = rgbOf(hex);
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const spread = most - least;
  if (spread === 0) return { h: 0, s: 0 };
  const turn = most === r ? (g - b) / spread : most === g ? 2 + (b - r) / spread : 4 + (r - g) / spread;
  return { h: Math.round(((turn + 6) % 6) * 60), s: Math.round((spread / most) * 100) };
}

/** CIE 1931, from sRGB. */
export function xyOf(hex: string): { readonly x: number; readonly y: number } {
  const { r, g, b } = rgbOf(hex);
  const [red, green, blue] = [r, g, b].map(linear) as [number, number, number];
  const x = 0.4124 * red + 0.3576 * green + 0.1805 * blue;
  const y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const z = 0.0193 * red + 0.1192 * green + 0.9505 * blue;
  const sum = x + y + z || 1;
  return { x: Math.round((x / sum) * 10_000) / 10_000, y: Math.round((y / sum) * 10_000) / 10_000 };
}

function hexOf(rgb: readonly number[]): string {
  const pairs = rgb.map((each) =>
    Math.round(Math.min(255, Math.max(0, each)))
      .toString(16)
      .padStart(2, "0"),
  );
  return `#${pairs.join("")}`;
}

function rgbOfHue(hue: number, saturation: number): readonly number[] {
  const channel = (offset: number): number => {
    const k = (offset + hue / 60) % 6;
    return 255 * (1 - (saturation / 100) * Math.max(0, Math.min(k, 4 - k, 1)));
  };
  return [channel(5), channel(3), channel(1)];
}

/** At full brightness: the brightest channel is 255. */
function rgbOfXy(x: number, y: number): readonly number[] {
  const [bigX, bigZ] = y === 0 ? [0, 0] : [x / y, (1 - x - y) / y];
  const raw = [
    3.2406 * bigX - 1.5372 - 0.4986 * bigZ,
    -0.9689 * bigX + 1.8758 + 0.0415 * bigZ,
    0.0557 * bigX - 0.204 + 1.057 * bigZ,
  ].map((each) => Math.max(0, each));
  const most = Math.max(...raw, 1e-6);
  return raw.map((each) => 255 * gamma(each / most));
}

function linear(channel: number): number {
  const c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

function gamma(c: number): number {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
}
