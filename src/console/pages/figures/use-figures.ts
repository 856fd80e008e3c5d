/**
 * The figures as they are now. The stream tells of the ten seconds that are being filled every now and then, but not how
 * they ended: whenever they are over, the hour is asked for again.
 */
import { useMemo, useRef } from "preact/hooks";
import type { Figures } from "../../../doors/live/views.ts";
import type { SeriesPoint } from "../../../observe/statistics.ts";
import { type Problem, rest } from "../../kit/api.ts";
import { figures, hub } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";
import { type FiguresAnswer, hubNow, merged, type Slot, slotsOf, type Totals, totalsNow } from "./hour.ts";

export interface FiguresView {
  readonly slots: readonly Slot[];
  /** By the hub's clock. */
  readonly now: number;
  readonly totals: Totals | undefined;
  readonly live: Figures | undefined;
  readonly problem: Problem | undefined;
  reload(): void;
}

interface Seen {
  readonly points: readonly SeriesPoint[];
  readonly answer: FiguresAnswer | undefined;
  readonly live: Figures | undefined;
}

export function useFigures(): FiguresView {
  const live = useStore(figures);
  const startedUtc = useStore(hub)?.startedUtc;
  const asked = useLoad((signal) => rest.getFigures({}, signal), [live?.point.at, startedUtc]);
  const { value: answer, problem, reload } = asked;
  const seen = useRef<Seen>({ points: [], answer: undefined, live: undefined });
  seen.current = withNews(seen.current, answer, live);
  const { points } = seen.current;
  const slots = useMemo(() => slotsOf(points), [points]);
  const now = useMemo(() => hubNow(Date.now(), startedUtc, live?.uptimeSeconds), [points]);
  const totals = answer && totalsNow(answer, live?.point);
  return { slots, now, totals, live, problem, reload };
}

/** Whatever came last is right. */
function withNews(seen: Seen, answer: FiguresAnswer | undefined, live: Figures | undefined): Seen {
  if (seen.answer === answer && seen.live === live) return seen;
  const asked = answer && answer !== seen.answer ? merged(seen.points, answer.points) : seen.points;
  return { points: live && live !== seen.live ? merged(asked, [live.point]) : asked, answer, live };
}
