/** One tool that an agent is linked to: on or off, taken away, and which of its arguments are fixed or left to the agent. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { BindingConfig } from "../../../contract/agent.ts";
import { isObject } from "../../../contract/rules.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { type Problem, rest, toProblem } from "../../kit/api.ts";
import { Dialog } from "../../kit/dialog.ts";
import { html } from "../../kit/html.ts";
import { faultPlace, START } from "../../kit/json-fault.ts";
import { Badge, Field, ProblemBox, valueIn } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import type { LinkRow } from "./link-desk.ts";
import type { AgentLinks } from "./use-links.ts";

export function LinkedTool({ row, links, may }: { row: LinkRow; links: AgentLinks; may: boolean }): VNode {
  const { tool, enabled } = row;
  const [editing, setEditing] = useState(false);
  const unlink = (event: Event): void => {
    focusNext(event.currentTarget as HTMLElement);
    links.desk.unlink(tool);
  };
  return html`<div class="agents-linked" data-off=${!enabled}>
    <span class="agents-linked-name">
      <span class="ellipsis"><strong>${tool.name}</strong> <span class="muted">${tool.serverName}</span></span>
      <${Marks} row=${row} />
    </span>
    <span class="row agents-linked-actions">
      <label class="check">
        <input type="checkbox" role="switch" checked=${enabled} disabled=${!may} aria-label=${t("agents.linked.switch", { tool: tool.name })} onChange=${() => links.desk.link(tool, !enabled)} />
        <span aria-hidden="true">${enabled ? t("agents.linked.on") : t("agents.linked.off")}</span>
      </label>
      ${
        may &&
        html`<button type="button" class="button small" disabled=${row.bindingId === undefined} aria-label=${t("agents.linked.argumentsOf", { tool: tool.name })} onClick=${() => setEditing(true)}>${t("agents.linked.arguments")}</button>
        <button type="button" class="button small" data-unlink aria-label=${t("agents.linked.unlinkOf", { tool: tool.name })} onClick=${unlink}>${t("agents.linked.unlink")}</button>`
      }
    </span>
    ${editing && html`<${LinkArguments} row=${row} links=${links} close=${() => setEditing(false)} />`}
  </div>`;
}

/** What is out of the ordinary about it. */
function Marks({ row: { tool, config } }: { row: LinkRow }): VNode {
  const fixed = Object.keys(config?.fixedArguments ?? {});
  return html`<span class="agents-marks">
    ${tool.missing && html`<${Badge} tone="warn">${t("agents.linked.missing")}</${Badge}>`}
    ${fixed.length > 0 && html`<${Badge} tone="busy">${t("agents.linked.fixed", { names: fixed.join(", ") })}</${Badge}>`}
    ${config?.allowedArguments && html`<${Badge} tone="busy">${t("agents.linked.allowed", { names: config.allowedArguments.join(", ") || "–" })}</${Badge}>`}
  </span>`;
}

/** The row goes away with the button that is pressed: its neighbour takes the focus, or the list. */
function focusNext(button: HTMLElement): void {
  const list = button.closest<HTMLElement>("[role=list]");
  const all = [...(list?.querySelectorAll<HTMLElement>("[data-unlink]") ?? [])];
  const place = all.indexOf(button);
  (all[place + 1] ?? all[place - 1] ?? document.getElementById("main"))?.focus();
}

/** What of a tool's arguments is fixed for an agent, and what it may give: JSON with help. */
function LinkArguments({ row, links, close }: { row: LinkRow; links: AgentLinks; close: () => void }): VNode {
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
        <textarea id="link-config" rows="8" spellcheck="false" aria-describedby="link-config-help link-config-wrong" aria-invalid=${wrong !== undefined} value=${text} onInput=${(event: Event) => setText(valueIn(event))}></textarea>
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

type ReadConfig =
  /** `strange` are arguments that the tool does not have: possible, but hardly meant. */
  | { readonly config: BindingConfig | null; readonly strange: readonly string[]; readonly wrong?: undefined }
  | { readonly wrong: ConsoleKey; readonly detail: string };

const MEMBERS: readonly string[] = ["fixedArguments", "allowedArguments"];

/** What a link says of a tool's arguments, as people write it: JSON, or nothing. */
export function readConfig(text: string, inputSchema: unknown): ReadConfig {
  if (text.trim() === "") return { config: null, strange: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { line, column } = faultPlace(text) ?? START;
    return { wrong: "agents.config.noJson", detail: `${line}:${column}` };
  }
  return checked(value, argumentsOf(inputSchema));
}

function checked(value: unknown, known: readonly string[]): ReadConfig {
  if (!isObject(value)) return { wrong: "agents.config.noObject", detail: "" };
  const other = Object.keys(value).find((member) => !MEMBERS.includes(member));
  if (other !== undefined) return { wrong: "agents.config.unknown", detail: other };
  const { fixedArguments, allowedArguments } = value;
  if (fixedArguments !== undefined && !isObject(fixedArguments)) return { wrong: "agents.config.fixed", detail: "" };
  const isList = Array.isArray(allowedArguments) && allowedArguments.every((name) => typeof name === "string");
  if (allowedArguments !== undefined && !isList) return { wrong: "agents.config.allowed", detail: "" };
  const named = [...Object.keys(fixedArguments ?? {}), ...((allowedArguments ?? []) as string[])];
  const strange = known.length === 0 ? [] : [...new Set(named.filter((name) => !known.includes(name)))];
  return { config: Object.keys(value).length === 0 ? null : (value as BindingConfig), strange };
}

/** The names of what a tool takes; none where its schema does not say. */
function argumentsOf(inputSchema: unknown): readonly string[] {
  const properties = isObject(inputSchema) ? inputSchema["properties"] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}

export function writeConfig(config: BindingConfig | null): string {
  return config === null || Object.keys(config).length === 0 ? "" : JSON.stringify(config, null, 2);
}

/** Something to begin with: the tool's own arguments, the first fixed and the others left to the agent. */
export function exampleConfig(inputSchema: unknown): string {
  const [first = "name", ...others] = argumentsOf(inputSchema);
  return JSON.stringify({ fixedArguments: { [first]: "…" }, allowedArguments: others }, null, 2);
}
