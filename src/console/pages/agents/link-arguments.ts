/** What of a tool's arguments is fixed for an agent, and what it may give: JSON with help. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { rest } from "../../kit/api.ts";
import { Dialog } from "../../kit/dialog.ts";
import { html } from "../../kit/html.ts";
import { Field, ProblemBox } from "../../kit/parts.ts";
import { type Problem, toProblem } from "../../kit/problem.ts";
import { t } from "../../kit/words.ts";
import { argumentsOf, exampleConfig, readConfig, writeConfig } from "./link-config.ts";
import type { LinkRow } from "./link-desk.ts";
import type { AgentLinks } from "./use-links.ts";

export function LinkArguments({ row, links, close }: { row: LinkRow; links: AgentLinks; close: () => void }): VNode {
  const { tool, bindingId = "" } = row;
  const [text, setText] = useState(writeConfig(row.config));
  const [problem, setProblem] = useState<Problem>();
  const read = readConfig(text, tool.inputSchema);
  const wrong = read.wrong && t(read.wrong, { detail: read.detail });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (read.wrong) return;
    try {
      await rest.changeBinding({ id: links.agentId, bindingId, body: { config: read.config } });
      links.reload();
      close();
    } catch (cause) {
      setProblem(toProblem(cause));
    }
  };
  return html`<${Dialog} title=${t("agents.config.title", { tool: tool.name })} close=${close}>
    <form onSubmit=${submit}>
      <${Help} inputSchema=${tool.inputSchema} />
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <${Field} id="link-config" label=${t("agents.config.label")} help=${t("agents.config.empty")} wrong=${wrong}>
        <textarea id="link-config" rows="8" spellcheck="false" aria-describedby="link-config-help link-config-wrong" aria-invalid=${wrong !== undefined} value=${text} onInput=${(event: Event) => setText((event.target as HTMLTextAreaElement).value)}></textarea>
      </${Field}>
      ${!read.wrong && read.strange.length > 0 && html`<p class="agents-warning" role="status">${t("agents.config.strange", { names: read.strange.join(", ") })}</p>`}
      <div class="actions">
        ${text.trim() === "" && html`<button type="button" class="button" onClick=${() => setText(exampleConfig(tool.inputSchema))}>${t("agents.config.example")}</button>`}
        <button type="button" class="button" onClick=${close}>${t("dialog.cancel")}</button>
        <button class="button primary" disabled=${wrong !== undefined}>${t("agents.save")}</button>
      </div>
    </form>
  </${Dialog}>`;
}

function Help({ inputSchema }: { inputSchema: unknown }): VNode {
  const names = argumentsOf(inputSchema);
  return html`<dl class="agents-help">
    <dt><code>fixedArguments</code></dt>
    <dd>${t("agents.config.fixedHelp")}</dd>
    <dt><code>allowedArguments</code></dt>
    <dd>${t("agents.config.allowedHelp")}</dd>
    <dt>${t("agents.config.takes")}</dt>
    <dd>${names.length === 0 ? t("agents.config.takesNone") : names.map((name) => html`<code key=${name}>${name}</code> `)}</dd>
  </dl>`;
}
