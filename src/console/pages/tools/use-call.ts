/** One call at a time: under way, with what the tool says and asks meanwhile, and what came of it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { callTool, type QuestionAnswers, type Questions, type ToolProgress } from "../../kit/call-tool.ts";
import { toProblem } from "../../kit/problem.ts";
import type { Outcome } from "./answer.ts";

export interface Running {
  readonly since: number;
  readonly progress?: ToolProgress | undefined;
  /** What the tool wants to know before it goes on. */
  readonly asked?: { readonly questions: Questions; answer(answers: QuestionAnswers): void } | undefined;
}

export interface ToolCall {
  readonly running: Running | undefined;
  readonly outcome: Outcome | undefined;
  start(args: object): void;
  cancel(): void;
}

/** Who leaves the page has no use for the answer: the call is cancelled. */
export function useCall(server: string, tool: string): ToolCall {
  const [running, setRunning] = useState<Running>();
  const [outcome, setOutcome] = useState<Outcome>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const start = async (args: object): Promise<void> => {
    const own = new AbortController();
    stop.current = own;
    const since = performance.now();
    setRunning({ since });
    setOutcome(undefined);
    const say = (news: Partial<Running>): void => setRunning((now) => now && { ...now, ...news });
    const ended = await callTool(server, tool, args, own.signal, {
      onProgress: (progress) => say({ progress }),
      onQuestions: (questions) =>
        new Promise((resolve) => {
          const answer = (answers: QuestionAnswers): void => {
            say({ asked: undefined });
            resolve(answers);
          };
          say({ asked: { questions, answer } });
        }),
    }).then(
      (result) => ({ kind: "answered", result }) as const,
      (cause) =>
        own.signal.aborted
          ? ({ kind: "cancelled" } as const)
          : ({ kind: "failed", problem: toProblem(cause) } as const),
    );
    setRunning(undefined);
    setOutcome({ ...ended, ms: performance.now() - since });
  };
  return { running, outcome, start: (args) => void start(args), cancel: () => stop.current?.abort() };
}
