/** What a tool asks in the middle of its work: a form made of what it wants to know, or an address to be visited. */
import type { VNode } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { QuestionAnswer, QuestionAnswers, Questions, ToolQuestion } from "../../kit/call-tool.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { webAddress } from "./answer-parts.ts";
import { SchemaForm } from "./form.ts";
import { ProblemList } from "./form-hints.ts";
import { NO_PROBLEMS, problemsIn } from "./problems.ts";
import { Shapes } from "./shapes.ts";
import { startWithDefaults } from "./start.ts";

/** One after the other; the tool hears when all are answered. */
export function QuestionsView(props: {
  questions: Questions;
  answer: (answers: QuestionAnswers) => void;
}): VNode | undefined {
  const { questions, answer } = props;
  const [given, setGiven] = useState<QuestionAnswers>({});
  const open = Object.entries(questions).filter(([key]) => !Object.hasOwn(given, key));
  const [next] = open;
  if (!next) return undefined;
  const [key, question] = next;
  const take = (one: QuestionAnswer): void => {
    const all = { ...given, [key]: one };
    setGiven(all);
    if (open.length === 1) answer(all);
  };
  return html`<${QuestionView} key=${key} question=${question} answer=${take} />`;
}

interface QuestionProps {
  readonly question: ToolQuestion;
  readonly answer: (answer: QuestionAnswer) => void;
}

function QuestionView({ question, answer }: QuestionProps): VNode {
  const { message, mode, url } = question.params;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return html`<section class="question" aria-live="polite">
    <h3 ref=${heading} tabindex="-1">${t("tools.ask.title")}</h3>
    <p class="arg-text">${message}</p>
    ${mode === "url" ? html`<${Visit} url=${url ?? ""} answer=${answer} />` : html`<${FillIn} question=${question} answer=${answer} />`}
  </section>`;
}

function FillIn({ question, answer }: QuestionProps): VNode {
  const { requestedSchema: schema = {} } = question.params;
  const shapes = useMemo(() => new Shapes(schema), [schema]);
  const [value, setValue] = useState(() => startWithDefaults(shapes, schema));
  const [isTried, setTried] = useState(false);
  const prefix = useId();
  const found = useMemo(() => problemsIn(shapes, schema, value), [shapes, schema, value]);
  const problems = isTried ? found : NO_PROBLEMS;
  const send = (): void => {
    if (found.size > 0 && !isTried) setTried(true);
    else answer({ action: "accept", content: value });
  };
  return html`
    <${SchemaForm} form=${{ shapes, problems, prefix }} schema=${schema} value=${value} change=${setValue} />
    <${ProblemList} problems=${problems} prefix=${prefix} />
    <${Buttons} accept=${send} label=${t(isTried && found.size > 0 ? "tools.ask.sendAnyway" : "tools.ask.send")} answer=${answer} />
  `;
}

/** Where it leads is shown in full: the tool chose it, and the user goes there or not. */
function Visit({ url, answer }: Pick<QuestionProps, "answer"> & { url: string }): VNode {
  const address = webAddress(url);
  return html`
    <p>${t("tools.ask.visit")} ${address ? html`<a href=${address} target="_blank" rel="noreferrer noopener">${url}</a>` : html`<code>${url}</code>`}</p>
    <${Buttons} accept=${() => answer({ action: "accept" })} label=${t("tools.ask.visited")} answer=${answer} />
  `;
}

function Buttons(props: Pick<QuestionProps, "answer"> & { accept: () => void; label: string }): VNode {
  const { accept, label, answer } = props;
  return html`<div class="actions">
    <button type="button" class="button" onClick=${() => answer({ action: "decline" })}>${t("tools.ask.decline")}</button>
    <button type="button" class="button primary" onClick=${accept}>${label}</button>
  </div>`;
}
