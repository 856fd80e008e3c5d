/** What was filled in, per tool, for as long as the page is open: who looks at something else comes back to it. */
import type { ArgsState } from "./args-state.ts";

const MOST_KEPT = 50;
const kept = new Map<string, ArgsState>();

export function keptArgs(tool: string): ArgsState | undefined {
  return kept.get(tool);
}

export function keepArgs(tool: string, state: ArgsState): void {
  kept.delete(tool);
  kept.set(tool, state);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}
