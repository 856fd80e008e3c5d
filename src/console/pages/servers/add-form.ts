/** One server, by a form. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ServerPreview } from "../../../contract/server.ts";
import type { Problem } from "../../kit/api.ts";
import { html } from "../../kit/html.ts";
import { servers } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { Choices, Pairs, TextArea, TextField } from "./fields.ts";
import { EMPTY_FORM, type Pair, requestOf, type ServerForm } from "./form-model.ts";
import { PreviewView } from "./preview-view.ts";
import { Refusal } from "./refusal.ts";
import { goTo, serverLink } from "./route.ts";
import type { ServerRecord } from "./rows.ts";
import { intoView, type Try, useTry, Waiting } from "./use-try.ts";
import { preview, register } from "./work.ts";

interface FormPartProps {
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
  // A preview is of the form as it was.
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

const AUTH_TYPES = ["none", "apikey", "oauth"] as const;

/** The parts of the form for one server: how it is reached, where it is, what it wants to see. */
function WayChoice({ form, change }: FormPartProps): VNode {
  const options = [
    { value: "url", label: t("servers.form.byUrl") },
    { value: "command", label: t("servers.form.byCommand") },
  ] as const;
  return html`<${Choices} legend=${t("servers.form.way")} name="server-way" value=${form.way} options=${options} change=${(way: "url" | "command") => change({ way })} />`;
}

function ByUrl({ form, change, problem }: FormPartProps): VNode {
  const { authType } = form;
  const options = AUTH_TYPES.map((value) => ({ value, label: t(`servers.auth.${value}`) }));
  return html`
    <${TextField} id="server-url" type="url" label=${t("servers.form.url")} help=${t("servers.form.urlHelp")} placeholder="https://example.org/mcp" wrong=${problem?.of("baseUrl")} required value=${form.url} change=${(url: string) => change({ url })} />
    <${Choices} legend=${t("servers.fact.auth")} name="server-auth" value=${authType} options=${options} change=${(value: typeof authType) => change({ authType: value })} />
    ${authType === "apikey" && html`<${TextField} id="server-key-header" label=${t("servers.form.keyHeader")} help=${t("servers.form.keyHeaderHelp")} placeholder="X-API-Key" value=${form.keyHeader} change=${(keyHeader: string) => change({ keyHeader })} />`}
    ${authType !== "none" && html`<${TextField} id="server-secret" type="password" label=${t(authType === "apikey" ? "servers.form.key" : "servers.form.token")} help=${t("servers.form.sealed")} wrong=${problem?.of("credentials")} required value=${form.secret} change=${(secret: string) => change({ secret })} />`}
    <${Pairs} legend=${t("servers.form.headers")} help=${t("servers.form.headersHelp")} add=${t("servers.form.addHeader")} wrong=${problem?.of("headers")} pairs=${form.headers} change=${(headers: readonly Pair[]) => change({ headers })} />`;
}

function ByCommand({ form, change, problem }: FormPartProps): VNode {
  return html`
    <${TextField} id="server-command" label=${t("servers.form.command")} help=${t("servers.form.commandHelp")} placeholder="npx" wrong=${problem?.of("command")} required value=${form.command} change=${(command: string) => change({ command })} />
    <${TextArea} id="server-args" rows=${3} label=${t("servers.form.args")} help=${t("servers.form.argsHelp")} placeholder=${"-y\n@modelcontextprotocol/server-everything"} wrong=${problem?.of("args")} value=${form.args} change=${(args: string) => change({ args })} />
    <${Pairs} legend=${t("servers.form.env")} help=${t("servers.form.envHelp")} add=${t("servers.form.addEnv")} wrong=${problem?.of("env")} pairs=${form.env} change=${(env: readonly Pair[]) => change({ env })} />`;
}
