/** One call's way as bars on a common time line: where each begins, and how long it is. */
import type { CallDetail } from "../../../doors/live/views.ts";

export interface WayBar {
  /** A step of the pipeline; of the last one, each attempt at the server and each pause before the next. */
  readonly kind: "step" | "attempt" | "pause";
  readonly name: string;
  /** Which attempt it is, or which one the pause is before; 0 for a step. */
  readonly attempt: number;
  readonly atMs: number;
  readonly ms: number;
  /** Shares of the whole time. */
  readonly left: number;
  readonly width: number;
}

type Way = Pick<CallDetail, "steps" | "retries">;
type Stretch = Pick<WayBar, "kind" | "name" | "attempt" | "atMs" | "ms">;

/** `totalMs` may be later than what was told: a call that is under way goes on while one looks. */
export function barsOf(way: Way, totalMs: number): readonly WayBar[] {
  const stretches = way.steps.flatMap((step, place): Stretch[] => {
    const isLast = place === way.steps.length - 1;
    const ms = isLast ? Math.max(step.ms, totalMs - step.atMs) : step.ms;
    const whole: Stretch = { kind: "step", name: step.name, attempt: 0, atMs: step.atMs, ms };
    return isLast ? [whole, ...attemptsIn(whole, way.retries)] : [whole];
  });
  const total = Math.max(totalMs, ...stretches.map(({ atMs, ms }) => atMs + ms));
  return stretches.map((stretch) => ({ ...stretch, ...placed(stretch, total) }));
}

/** A call that was sent once has nothing to tell beyond its step. */
function attemptsIn({ name, atMs, ms }: Stretch, retries: Way["retries"]): Stretch[] {
  if (retries.length === 0) return [];
  const end = atMs + ms;
  const found: Stretch[] = [];
  let begun = atMs;
  for (const retry of retries) {
    found.push({ kind: "attempt", name, attempt: retry.attempt - 1, atMs: begun, ms: retry.atMs - begun });
    begun = Math.min(end, retry.atMs + retry.delayMs);
    found.push({ kind: "pause", name, attempt: retry.attempt, atMs: retry.atMs, ms: begun - retry.atMs });
  }
  const { attempt = 1 } = retries.at(-1) ?? {};
  return begun < end ? [...found, { kind: "attempt", name, attempt, atMs: begun, ms: end - begun }] : found;
}

function placed({ atMs, ms }: Stretch, total: number): Pick<WayBar, "left" | "width"> {
  if (total <= 0) return { left: 0, width: 0 };
  const left = Math.min(1, Math.max(0, atMs / total));
  return { left, width: Math.min(1 - left, Math.max(0, ms / total)) };
}
