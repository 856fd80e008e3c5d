/** What the hub does not register on a page's behalf, with the way in which it can be done all the same. */
import type { VNode } from "preact";
import type { GivenServer } from "../../../contract/server.ts";
import type { Problem } from "../../kit/api.ts";
import { quoted, Snippet } from "../../kit/copy.ts";
import { html } from "../../kit/html.ts";
import { ProblemBox } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { asHeaders } from "./form-model.ts";

/** `requests` are all those that were refused for this reason. */
export function Refusal({ problem, requests }: { problem: Problem; requests: readonly GivenServer[] }): VNode {
  const { code } = problem.body;
  if (code === "COMMAND_NOT_ALLOWED") return html`<${NotAllowed} problem=${problem} requests=${requests} />`;
  if (code === "FORBIDDEN_ADDRESS") return html`<${Private} requests=${requests} />`;
  return html`<${ProblemBox} problem=${problem} />`;
}

function NotAllowed({ problem, requests }: { problem: Problem; requests: readonly GivenServer[] }): VNode {
  const loaders = requests.flatMap(({ env }) => loadersIn(env ?? {}));
  const commands = requests.flatMap(({ command }) => command ?? []);
  return html`<div class="servers-notice" data-tone="warn" role="alert">
    <p><strong>${t("servers.command.title")}</strong></p>
    <p>${problem.message}</p>
    ${
      loaders.length > 0
        ? html`<p>${t("servers.command.loaders", { names: loaders.join(", ") })}</p>`
        : html`<p>${t("servers.command.allow")}</p>
      <${Snippet} text=${allowLine(commands)} label="zaguan.json" />
      <p class="muted servers-small">${t("servers.command.care")}</p>`
    }
    <p>${t("servers.command.terminal")}</p>
    <${Lines} requests=${requests} />
  </div>`;
}

function Private({ requests }: { requests: readonly GivenServer[] }): VNode {
  const addresses = requests.map(({ baseUrl = "" }) => (URL.canParse(baseUrl) ? new URL(baseUrl).hostname : baseUrl));
  return html`<div class="servers-notice" data-tone="warn" role="alert">
    <p><strong>${t("servers.private.title")}</strong></p>
    <p>${t("servers.private.text", { address: addresses.join(", ") })}</p>
    <p>${t("servers.command.terminal")}</p>
    <${Lines} requests=${requests} />
  </div>`;
}

function Lines({ requests }: { requests: readonly GivenServer[] }): VNode {
  return html`<${Snippet} text=${requests.map((request) => addLine(asHeaders(request))).join("\n")} label=${t("servers.command.line")} />`;
}

/** Adds the server to the configuration file, which whoever has a shell on the hub's machine may do. */
export function addLine({ name, baseUrl, command, args = [], env = {}, headers = {} }: GivenServer): string {
  const said = Object.entries(headers).flatMap(([key, value]) => ["--header", `${key}: ${value}`]);
  const set = Object.entries(env).flatMap(([key, value]) => ["--env", `${key}=${value}`]);
  const words = command === undefined ? [baseUrl ?? "", "--allow-private", ...said] : [...set, "--", command, ...args];
  return ["zaguan", "add", name, ...words].map(quoted).join(" ");
}

export function allowLine(commands: readonly string[]): string {
  return `"auth": { "allowedCommands": ${JSON.stringify([...new Set(commands)]).replaceAll('","', '", "')} }`;
}

/** By these a program is made to run another before itself: the hub refuses them even where the program is allowed. */
const LOADERS = /^(?:LD_|DYLD_|NODE_OPTIONS$|BASH_ENV$|ENV$|PYTHONSTARTUP$|PYTHONPATH$|PERL5OPT$|RUBYOPT$)/i;

export function loadersIn(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(env).filter((name) => LOADERS.test(name));
}
