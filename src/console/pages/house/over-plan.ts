/** Where something lies that is laid over the plan, in parts of its whole size: the plan may be drawn smaller than it is. */
import type { Box, Plan } from "./plan.ts";

/** Around the house: its outer walls reach there, and an armed alarm is drawn there. */
export const MARGIN = 18;

interface Place {
  readonly left: string;
  readonly top: string;
  readonly width: string;
  readonly height: string;
}

export function placeOf({ x, y, width, height }: Box, plan: Plan): Place {
  const [wide, high] = [plan.width + 2 * MARGIN, plan.height + 2 * MARGIN];
  return {
    left: part(x + MARGIN, wide),
    top: part(y + MARGIN, high),
    width: part(width, wide),
    height: part(height, high),
  };
}

function part(length: number, whole: number): string {
  return `${Math.round((length / whole) * 1e5) / 1e3}%`;
}
