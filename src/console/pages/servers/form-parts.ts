/** The parts of the form for one server: how it is reached, where it is, what it wants to see. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import type { FormPartProps } from "./add-form.ts";
import { Choices, TextArea, TextField } from "./fields.ts";
import type { Pair } from "./form-model.ts";
import { Pairs } from "./pairs.ts";

const AUTH_TYPES = ["none", "apikey", "oauth"] as const;

export function WayChoice({ form, change }: FormPartProps): VNode {
  const options = [
    { value: "url", label: t("servers.form.byUrl") },
    { value: "command", label: t("servers.form.byCommand") },
  ] as const;
  return html`<${Choices} legend=${t("servers.form.way")} name="server-way" value=${form.way} options=${options} change=${(way: "url" | "command") => change({ way })} />`;
}

export function ByUrl({ form, change, problem }: FormPartProps): VNode {
  const { authType } = form;
  const options = AUTH_TYPES.map((value) => ({ value, label: t(`servers.auth.${value}`) }));
  return html`
    <${TextField} id="server-url" type="url" label=${t("servers.form.url")} help=${t("servers.form.urlHelp")} placeholder="https://example.org/mcp" wrong=${problem?.of("baseUrl")} required value=${form.url} change=${(url: string) => change({ url })} />
    <${Choices} legend=${t("servers.fact.auth")} name="server-auth" value=${authType} options=${options} change=${(value: typeof authType) => change({ authType: value })} />
    ${authType === "apikey" && html`<${TextField} id="server-key-header" label=${t("servers.form.keyHeader")} help=${t("servers.form.keyHeaderHelp")} placeholder="X-API-Key" value=${form.keyHeader} change=${(keyHeader: string) => change({ keyHeader })} />`}
    ${authType !== "none" && html`<${TextField} id="server-secret" type="password" label=${t(authType === "apikey" ? "servers.form.key" : "servers.form.token")} help=${t("servers.form.sealed")} wrong=${problem?.of("credentials")} required value=${form.secret} change=${(secret: string) => change({ secret })} />`}
    <${Pairs} legend=${t("servers.form.headers")} help=${t("servers.form.headersHelp")} add=${t("servers.form.addHeader")} wrong=${problem?.of("headers")} pairs=${form.headers} change=${(headers: readonly Pair[]) => change({ headers })} />`;
}

export function ByCommand({ form, change, problem }: FormPartProps): VNode {
  return html`
    <${TextField} id="server-command" label=${t("servers.form.command")} help=${t("servers.form.commandHelp")} placeholder="npx" wrong=${problem?.of("command")} required value=${form.command} change=${(command: string) => change({ command })} />
    <${TextArea} id="server-args" rows=${3} label=${t("servers.form.args")} help=${t("servers.form.argsHelp")} placeholder=${"-y\n@modelcontextprotocol/server-everything"} wrong=${problem?.of("args")} value=${form.args} change=${(args: string) => change({ args })} />
    <${Pairs} legend=${t("servers.form.env")} help=${t("servers.form.envHelp")} add=${t("servers.form.addEnv")} wrong=${problem?.of("env")} pairs=${form.env} change=${(env: readonly Pair[]) => change({ env })} />`;
}
