/** One call at a time: under way, with what the tool says and asks meanwhile, and what came of it. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { toProblem } from "../../kit/api.ts";
import { callTool, type QuestionAnswers, type Questions, type ToolProgress } from "../../kit/call-tool.ts";
import { number, span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Progress } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import type { Outcome } from "./answer.ts";

interface Running {
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

const TICK_MS = 100;

/** A call that is under way: how long, how far, and the way to end it. */
export function RunningView({ running, cancel }: { running: Running; cancel: () => void }): VNode {
  const { progress, since } = running;
  const share = progress?.total ? Math.min(1, Math.max(0, progress.progress / progress.total)) : undefined;
  return html`<div class="stack running">
    <div class="row">
      <strong>${t("tools.run.running")}</strong>
      <${Elapsed} since=${since} />
      <span class="grow"></span>
      <button type="button" class="button danger" onClick=${cancel}>${t("tools.run.cancel")}</button>
    </div>
    ${running.asked ? html`<p role="status">${t("tools.run.asked")}</p>` : html`<${Progress} label=${progressText(running)} value=${share} />`}
  </div>`;
}

function progressText({ progress }: Running): string {
  if (!progress) return t("tools.run.waiting");
  const { progress: done, total, message } = progress;
  const far = total
    ? t("tools.run.stepOf", { done: number(done, 1), total: number(total, 1) })
    : t("tools.run.step", { done: number(done, 1) });
  return typeof message === "string" && message !== "" ? `${far}: ${message}` : far;
}

/** Apart from what is read out: nobody wants to hear every tenth of a second. */
function Elapsed({ since }: { since: number }): VNode {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return html`<span class="muted elapsed" aria-hidden="true">${span(Math.max(0, now - since))}</span>`;
}
