/** Signs of life during long work, on stderr and only if that is a terminal: pipes and logs never see them. */
import type { Output } from "./command.ts";
import { cut } from "./terminal.ts";

export interface Progress {
  /** Says what is being done now; for a bar it also counts as one more step. */
  step(label: string): void;
  /** Takes the line away, so that something else can be printed; the next step or tick draws it again. */
  clear(): void;
  /** Takes it away for good. */
  stop(): void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const TICK_MS = 100;
const BAR_WIDTH = 20;
const ERASE = "\r\u001b[K";
const NOTHING: Progress = { step: () => {}, clear: () => {}, stop: () => {} };

/** Shows itself after a second without an answer, with the seconds that have passed. */
export function spinner(output: Output, label: string, quietMs = 1000): Progress {
  if (!output.isTTY) return NOTHING;
  const startedAt = performance.now();
  let text = label;
  let tick = 0;
  return draw(output, {
    step: (next) => {
      text = next;
    },
    line: () => {
      const ms = performance.now() - startedAt;
      const seconds = `${Math.floor(ms / 1000)} s`;
      // However long the text is, the seconds are seen.
      const room = widthOf(output) - seconds.length - 3;
      return ms < quietMs ? "" : `${FRAMES[tick++ % FRAMES.length]} ${cut(text, room)} ${seconds}`;
    },
  });
}

export function progressBar(output: Output, total: number): Progress {
  if (!output.isTTY || total < 1) return NOTHING;
  let done = -1;
  let text = "";
  return draw(output, {
    step: (next) => {
      done = Math.min(done + 1, total);
      text = next;
    },
    line: () => bar(Math.max(done, 0), total, text),
  });
}

/** `[████····] 2/4 label` */
export function bar(done: number, total: number, label: string): string {
  const full = Math.round((Math.min(done, total) / total) * BAR_WIDTH);
  return `[${"█".repeat(full)}${"·".repeat(BAR_WIDTH - full)}] ${done}/${total} ${label}`;
}

function widthOf(output: Output): number {
  return (output.columns || 80) - 1;
}

function draw(output: Output, work: { step(label: string): void; line(): string }): Progress {
  const redraw = (): void => {
    const line = work.line();
    if (line !== "") output.write(ERASE + cut(line, widthOf(output)));
  };
  const timer = setInterval(redraw, TICK_MS).unref();
  return {
    step: (label) => {
      work.step(label);
      redraw();
    },
    clear: () => output.write(ERASE),
    stop: () => {
      clearInterval(timer);
      output.write(ERASE);
    },
  };
}
