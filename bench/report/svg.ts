/** The few elements of SVG that the charts need. Numbers are rounded, text is escaped; nothing else is looked at. */

export const COLOURS = {
  ink: "#1f2933",
  faint: "#7b8794",
  line: "#d5dae0",
  paper: "#ffffff",
  floor: "#9aa5b1",
  zaguan: "#c4511d",
  peer: "#4a7fb0",
} as const;

export function svg(width: number, height: number, title: string, parts: readonly string[]): string {
  const font = "font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\"";
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${font} role="img" aria-label="${escaped(title)}">`;
  return [open, rect(0, 0, width, height, COLOURS.paper), ...parts, "</svg>", ""].join("\n");
}

export interface TextStyle {
  readonly size?: number;
  readonly colour?: string;
  readonly anchor?: "start" | "middle" | "end";
  readonly bold?: boolean;
}

export function text(x: number, y: number, said: string, style: TextStyle = {}): string {
  const { size = 12, colour = COLOURS.ink, anchor = "start", bold = false } = style;
  const weight = bold ? ' font-weight="600"' : "";
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" fill="${colour}" text-anchor="${anchor}"${weight}>${escaped(said)}</text>`;
}

export function rect(x: number, y: number, width: number, height: number, colour: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${colour}"/>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, colour: string, dashed = false): string {
  const dash = dashed ? ' stroke-dasharray="4 3"' : "";
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}"${dash}/>`;
}

export function path(points: readonly (readonly [number, number])[], colour: string): string {
  const steps = points.map(([x, y], place) => `${place === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join(" ");
  return `<path d="${steps}" fill="none" stroke="${colour}" stroke-width="2"/>`;
}

export function dot(x: number, y: number, colour: string): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="3.5" fill="${colour}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(said: string): string {
  return said.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
