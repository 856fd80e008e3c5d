/** Arguments, the call, and what came of it; and the same call to take along. */
import type { VNode } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { Empty } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { AnswerView } from "./answer.ts";
import { type ArgsState, ArgumentsEditor, faultIn, keepArgs, keptArgs } from "./arguments.ts";
import { CopyCall } from "./copy-call.ts";
import { ProblemList } from "./form-hints.ts";
import { NO_PROBLEMS, problemsIn } from "./problems.ts";
import { QuestionsView } from "./questions.ts";
import { Shapes } from "./shapes.ts";
import { startOfForm } from "./start.ts";
import type { Tool } from "./tool-pages.ts";
import { RunningView, type ToolCall, useCall } from "./use-call.ts";

export function TryIt({ tool }: { tool: Tool }): VNode {
  const { serverSlug, name, inputSchema: schema } = tool;
  const shapes = useMemo(() => new Shapes(schema), [tool.inputSchemaJson]);
  const [state, setState] = useArgs(tool, () => ({ view: "form", value: startOfForm(shapes, schema) }));
  const call = useCall(serverSlug, name);
  return html`
    <div class="try">
      <section class="card" aria-labelledby="try-title">
        <h3 id="try-title">${t("tools.try.title")}</h3>
        <${Desk} shapes=${shapes} schema=${schema} state=${state} setState=${setState} call=${call} />
      </section>
      <section class="card answer" aria-labelledby="answer-title">
        <h3 id="answer-title">${t("tools.answer.title")}</h3>
        <${Result} call=${call} server=${serverSlug} />
      </section>
    </div>
    <${CopyCall} tool=${tool} args=${state.value} />
  `;
}

function useArgs(tool: Tool, start: () => ArgsState): readonly [ArgsState, (state: ArgsState) => void] {
  const key = `${tool.serverSlug}/${tool.name}`;
  const [state, setState] = useState<ArgsState>(() => keptArgs(key) ?? start());
  useEffect(() => keepArgs(key, state), [key, state]);
  return [state, setState];
}

interface DeskProps {
  readonly shapes: Shapes;
  readonly schema: unknown;
  readonly state: ArgsState;
  readonly setState: (state: ArgsState) => void;
  readonly call: ToolCall;
}

/** What looks wrong is said first; who knows better calls all the same, and hears it from the hub. */
function Desk({ shapes, schema, state, setState, call }: DeskProps): VNode {
  const prefix = useId();
  const [isTried, setTried] = useState(false);
  const found = useMemo(() => problemsIn(shapes, schema, state.value), [shapes, schema, state.value]);
  const problems = isTried ? found : NO_PROBLEMS;
  const isBlocked = call.running !== undefined || faultIn(state) !== undefined;
  const press = (event: Event): void => {
    event.preventDefault();
    if (isBlocked) return;
    const isStopped = found.size > 0 && !isTried;
    setTried(isStopped);
    if (!isStopped) call.start(state.value);
  };
  const isDoubtful = isTried && found.size > 0;
  return html`<form novalidate onSubmit=${press}>
    <${ArgumentsEditor} form=${{ shapes, problems, prefix }} schema=${schema} state=${state} setState=${setState} />
    <${ProblemList} problems=${problems} prefix=${prefix} />
    <div class="actions">
      <button type="button" class="button" onClick=${() => setState({ view: state.view, value: startOfForm(shapes, schema) })}>${t("tools.try.reset")}</button>
      <button class="button primary" aria-disabled=${isBlocked}>${t(isDoubtful ? "tools.try.callAnyway" : "tools.try.call")}</button>
    </div>
  </form>`;
}

/** Into view, where it is below: on a narrow screen the button is far above it. */
function Result({ call, server }: { call: ToolCall; server: string }): VNode {
  const { running, outcome, cancel } = call;
  const place = useRef<HTMLDivElement>(null);
  const isRunning = running !== undefined;
  useEffect(() => {
    if (isRunning || outcome) place.current?.scrollIntoView({ block: "nearest" });
    // The button that was pressed last may be gone.
    if (outcome && document.activeElement === document.body) place.current?.focus({ preventScroll: true });
  }, [isRunning, outcome]);
  return html`<div ref=${place} class="result" tabindex="-1">
    ${running && html`<${RunningView} running=${running} cancel=${cancel} />`}
    ${running?.asked && html`<${QuestionsView} questions=${running.asked.questions} answer=${running.asked.answer} />`}
    ${outcome && html`<${AnswerView} outcome=${outcome} server=${server} />`}
    ${!running && !outcome && html`<${Empty} title=${t("tools.answer.none")}><p>${t("tools.answer.noneText")}</p></${Empty}>`}
  </div>`;
}
