/** How far the run is: a line that is renewed on a terminal, and elsewhere one at each start and every half minute. */
import process from "node:process";
import type { Results } from "./results.ts";
import type { Row } from "./rows.ts";

const TERMINAL_MS = 1_000;
const LOG_MS = 30_000;

/** Tells of a row until it is stopped. */
export function tellProgress(row: Row, limitMinutes: number, rest: readonly Row[], results: Results): () => void {
  const startedAt = performance.now();
  const onTerminal = process.stdout.isTTY === true;
  const tell = (): void => {
    const elapsed = (performance.now() - startedAt) / 1_000;
    const left = Math.max(0, usual(row, results) - elapsed) + rest.reduce((sum, each) => sum + usual(each, results), 0);
    const own = `row ${row.number} · ${clock(elapsed)} of at most ${limitMinutes}:00`;
    const line = `${own} · then ${rest.length} more · about ${clock(left)} in all`;
    process.stdout.write(onTerminal ? `\r\x1b[K${line}` : `${line}\n`);
  };
  tell();
  const timer = setInterval(tell, onTerminal ? TERMINAL_MS : LOG_MS);
  return () => {
    clearInterval(timer);
    if (onTerminal) process.stdout.write("\r\x1b[K");
  };
}

/** Seconds: as last time, or a guess. */
function usual({ number, minutes }: Row, results: Results): number {
  return results[number]?.seconds ?? minutes * 20;
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
