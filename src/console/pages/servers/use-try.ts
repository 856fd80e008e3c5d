/** One piece of work that somebody waits for: how long it runs, what came of it, and a way to give it up. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Problem, toProblem } from "../../kit/api.ts";
import { span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Progress } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";

export interface Try<Value> {
  /** Since when it runs, while it does. */
  readonly since: number | undefined;
  readonly value: Value | undefined;
  readonly problem: Problem | undefined;
  /** In the place of what was tried before. Resolves with undefined where it failed or was given up. */
  run(work: (signal: AbortSignal) => Promise<Value>): Promise<Value | undefined>;
  /** Gives up what runs, and forgets what came before. */
  reset(): void;
}

type State<Value> = Pick<Try<Value>, "since" | "value" | "problem">;

const NOTHING = { since: undefined, value: undefined, problem: undefined };

export function useTry<Value>(): Try<Value> {
  const [state, setState] = useState<State<Value>>(NOTHING);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const reset = (): void => {
    stop.current?.abort();
    setState(NOTHING);
  };
  const run = async (work: (signal: AbortSignal) => Promise<Value>): Promise<Value | undefined> => {
    stop.current?.abort();
    stop.current = new AbortController();
    const { signal } = stop.current;
    setState({ ...NOTHING, since: Date.now() });
    try {
      const value = await work(signal);
      if (signal.aborted) return undefined;
      setState({ ...NOTHING, value });
      return value;
    } catch (cause) {
      if (!signal.aborted) setState({ ...NOTHING, problem: toProblem(cause) });
      return undefined;
    }
  };
  return { ...state, run, reset };
}

/** Work that takes a while: what is done, for how long already, and a way out. */
export function Waiting(props: { label: string; since: number; stop?: (() => void) | undefined }): VNode {
  const { label, since, stop } = props;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((now - since) / 1_000)) * 1_000;
  return html`<div class="servers-waiting" ref=${intoView}>
    <${Progress} label=${label} />
    <div class="row">
      <span class="muted" aria-hidden="true">${seconds === 0 ? " " : span(seconds)}</span>
      <span class="grow"></span>
      ${stop && html`<button type="button" class="button small" onClick=${stop}>${t("servers.stop")}</button>`}
    </div>
  </div>`;
}

/** For what appears because somebody asked for it, and might do so below the edge of the screen. */
export function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
