/** Something that is asked for when a part of the page appears, or when what it depends on changes. */
import { useEffect, useState } from "preact/hooks";
import { type Problem, toProblem } from "./api.ts";
import { link } from "./live.ts";
import { useStore } from "./store.ts";
import { language } from "./words.ts";

export interface Loaded<Value> {
  /** The last one that came, also while the next is under way. */
  readonly value: Value | undefined;
  readonly problem: Problem | undefined;
  readonly loading: boolean;
  reload(): void;
}

/** Asks again when one of `on` changes; `signal` is aborted when an answer is not wanted any more. */
export function useLoad<Value>(load: (signal: AbortSignal) => Promise<Value>, on: readonly unknown[]): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, "reload">>({
    value: undefined,
    problem: undefined,
    loading: true,
  });
  const [round, setRound] = useState(0);
  // The hub answers in the language that is asked for.
  const spoken = useStore(language);
  useEffect(() => {
    const stop = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    load(stop.signal).then(
      (value) => stop.signal.aborted || setState({ value, problem: undefined, loading: false }),
      (cause) =>
        stop.signal.aborted ||
        setState((before) => ({ value: before.value, problem: toProblem(cause), loading: false })),
    );
    return () => stop.abort();
  }, [...on, round, spoken]);
  const reload = (): void => setRound((before) => before + 1);
  useReturn(state.problem, reload);
  return { ...state, reload };
}

/** What failed because the hub was away is asked for again when it is back. */
export function useReturn(problem: Problem | undefined, reload: () => void): void {
  const isBack = useStore(link) === "open";
  useEffect(() => {
    if (isBack && problem?.status === 0) reload();
  }, [isBack]);
}

/** The value once it has not changed for a while: what follows from it is asked for once, not with each letter or event. */
export function useSettled<Value>(value: Value, ms = 200): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
