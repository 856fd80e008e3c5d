/** Makes an agent, or changes one. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Agent, NewAgent } from "../../../contract/agent.ts";
import { AUTONOMIES } from "../../../contract/rules.ts";
import { rest } from "../../kit/api.ts";
import { Dialog, FormActions, useSubmit } from "../../kit/dialog.ts";
import { html } from "../../kit/html.ts";
import { Field, ProblemBox, valueIn } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";

const FIELDS = ["name", "description", "systemPrompt", "autonomy"] as const;
type Draft = Readonly<Record<(typeof FIELDS)[number], string>>;

export function AgentForm(props: {
  agent?: Agent | undefined;
  close: () => void;
  saved: (agent: Agent) => void;
}): VNode {
  const { agent, close, saved } = props;
  const [draft, setDraft] = useState<Draft>(draftOf(agent));
  const set = (change: Partial<Draft>): void => setDraft({ ...draft, ...change });
  const { problem, busy, submit } = useSubmit(
    () => save(agent, draft),
    (made) => {
      close();
      saved(made);
    },
  );
  const isElsewhere = problem && !FIELDS.some((field) => problem.of(field));
  return html`<${Dialog} title=${agent ? t("agents.change.title", { name: agent.name }) : t("agents.new")} close=${close}>
    <form onSubmit=${submit}>
      ${isElsewhere && html`<${ProblemBox} problem=${problem} />`}
      <${Name} value=${draft.name} set=${set} wrong=${problem?.of("name")} />
      <${Description} value=${draft.description} set=${set} wrong=${problem?.of("description")} />
      <${Prompt} value=${draft.systemPrompt} set=${set} wrong=${problem?.of("systemPrompt")} />
      <${AutonomyChoice} value=${draft.autonomy} set=${set} wrong=${problem?.of("autonomy")} />
      <${FormActions} close=${close} busy=${busy} action=${agent ? t("agents.save") : t("agents.make")} />
    </form>
  </${Dialog}>`;
}

interface Part {
  readonly value: string;
  readonly set: (change: Partial<Draft>) => void;
  readonly wrong: string | undefined;
}

function Name({ value, set, wrong }: Part): VNode {
  return html`<${Field} id="agent-name" label=${t("agents.name")} help=${t("agents.name.help")} wrong=${wrong}>
    <input id="agent-name" required maxlength="64" autocomplete="off" aria-invalid=${wrong !== undefined} aria-describedby="agent-name-help agent-name-wrong" value=${value} onInput=${(event: Event) => set({ name: valueIn(event) })} />
  </${Field}>`;
}

function Description({ value, set, wrong }: Part): VNode {
  return html`<${Field} id="agent-description" label=${t("agents.description")} wrong=${wrong}>
    <input id="agent-description" autocomplete="off" value=${value} onInput=${(event: Event) => set({ description: valueIn(event) })} />
  </${Field}>`;
}

function Prompt({ value, set, wrong }: Part): VNode {
  return html`<${Field} id="agent-prompt" label=${t("agents.prompt")} help=${t("agents.prompt.help")} wrong=${wrong}>
    <textarea id="agent-prompt" rows="5" aria-describedby="agent-prompt-help" value=${value} onInput=${(event: Event) => set({ systemPrompt: valueIn(event) })}></textarea>
  </${Field}>`;
}

function AutonomyChoice({ value, set, wrong }: Part): VNode {
  return html`<${Field} id="agent-autonomy" label=${t("agents.autonomy")} help=${t("agents.autonomy.help")} wrong=${wrong}>
    <select id="agent-autonomy" aria-describedby="agent-autonomy-help" value=${value} onChange=${(event: Event) => set({ autonomy: valueIn(event) })}>
      ${AUTONOMIES.map((each) => html`<option key=${each} value=${each}>${t(`agents.autonomy.${each}`)}</option>`)}
    </select>
  </${Field}>`;
}

function draftOf(agent: Agent | undefined): Draft {
  const { name = "", description, systemPrompt, autonomy = "Supervised" } = agent ?? {};
  return { name, description: description ?? "", systemPrompt: systemPrompt ?? "", autonomy };
}

/** Of an agent that is there, only what is new is said: somebody else may have changed the rest meanwhile. */
function save(agent: Agent | undefined, draft: Draft): Promise<Agent> {
  const before: Draft = agent ? draftOf(agent) : { name: "", description: "", systemPrompt: "", autonomy: "" };
  const news = FIELDS.filter((field) => draft[field] !== before[field]).map((field) => [field, draft[field].trim()]);
  const body = Object.fromEntries(news) as NewAgent;
  return agent ? rest.changeAgent({ id: agent.id, body }) : rest.createAgent({ body });
}
