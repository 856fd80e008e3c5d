/** One piece of work that somebody waits for: how long it runs, what came of it, and a way to give it up. */
import { useEffect, useRef, useState } from "preact/hooks";
import { type Problem, toProblem } from "../../kit/problem.ts";

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
