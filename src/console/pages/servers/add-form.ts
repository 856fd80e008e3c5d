/** One server, by a form. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ServerPreview } from "../../../contract/server.ts";
import { html } from "../../kit/html.ts";
import { servers } from "../../kit/live.ts";
import type { Problem } from "../../kit/problem.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { TextField } from "./fields.ts";
import { EMPTY_FORM, requestOf, type ServerForm } from "./form-model.ts";
import { ByCommand, ByUrl, WayChoice } from "./form-parts.ts";
import { PreviewView } from "./preview-view.ts";
import { Refusal } from "./refusal.ts";
import { preview, register } from "./registering.ts";
import { goTo, serverLink } from "./route.ts";
import type { ServerRecord } from "./types.ts";
import { type Try, useTry } from "./use-try.ts";
import { intoView, Waiting } from "./waiting.ts";

export interface FormPartProps {
  readonly form: ServerForm;
  readonly change: (part: Partial<ServerForm>) => void;
  readonly problem: Problem | undefined;
}

/** What is wrong with one of these is said there. */
const FIELDS = ["name", "baseUrl", "credentials", "headers", "command", "args", "env"] as const;

export function AddByForm(): VNode {
  const [form, setForm] = useState(EMPTY_FORM);
  const looked = useTry<ServerPreview>();
  const added = useTry<ServerRecord>();
  const isTaken = useIsTaken(form.name.trim());
  const problem = added.problem ?? looked.problem;
  // What was seen was seen of something else.
  const change = (part: Partial<ServerForm>): void => {
    setForm({ ...form, ...part });
    looked.reset();
    added.reset();
  };
  const look = (event: Event): void => {
    event.preventDefault();
    if (looked.since !== undefined) return;
    added.reset();
    void looked.run((signal) => preview(requestOf(form), signal));
  };
  const add = async (): Promise<void> => {
    const record = await added.run(() => register(requestOf(form)));
    if (record) goTo(serverLink(record.name));
  };
  const wrongName = problem?.of("name") ?? (isTaken || looked.value?.nameTaken ? t("servers.taken") : undefined);
  const part = { form, change, problem };
  return html`<form class="servers-form" onSubmit=${look}>
    <div class="card">
      <${TextField} id="server-name" label=${t("servers.form.name")} help=${t("servers.form.nameHelp")} wrong=${wrongName} required value=${form.name} change=${(name: string) => change({ name })} />
      <${WayChoice} ...${part} />
      ${form.way === "url" ? html`<${ByUrl} ...${part} />` : html`<${ByCommand} ...${part} />`}
      <div class="actions">
        <button class=${looked.value?.ok ? "button" : "button primary"} aria-disabled=${looked.since !== undefined}>${t("servers.preview")}</button>
      </div>
    </div>
    ${problem && !FIELDS.some((field) => problem.of(field)) && html`<${Refusal} problem=${problem} requests=${[requestOf(form)]} />`}
    <${Looked} looked=${looked} added=${added} add=${add} isTaken=${wrongName !== undefined} />
  </form>`;
}

function Looked(props: {
  looked: Try<ServerPreview>;
  added: Try<ServerRecord>;
  add: () => void;
  isTaken: boolean;
}): VNode | null {
  const { looked, added, add, isTaken } = props;
  if (looked.since !== undefined) {
    return html`<${Waiting} label=${t("servers.previewing")} since=${looked.since} stop=${looked.reset} />`;
  }
  if (!looked.value) return null;
  return html`<section class="card" aria-labelledby="server-preview" ref=${intoView}>
    <h3 id="server-preview">${t("servers.preview")}</h3>
    <${PreviewView} preview=${looked.value} />
    <div class="actions">
      ${isTaken && html`<span class="servers-wrong">${t("servers.taken")}</span>`}
      <button type="button" class=${looked.value.ok ? "button primary" : "button"} disabled=${isTaken} aria-disabled=${added.since !== undefined} aria-busy=${added.since !== undefined} onClick=${() => added.since === undefined && add()}>
        ${t(looked.value.ok ? "servers.form.add" : "servers.form.addAnyway")}
      </button>
    </div>
  </section>`;
}

export function useIsTaken(name: string): boolean {
  return useStore(servers, (all) => all.some((server) => server.name === name));
}
