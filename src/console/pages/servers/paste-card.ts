/** One of the servers that were pasted: what it is, what does not come along, and what was seen of it. */
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { Badge, Progress } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { quoted } from "./command-line.ts";
import { valueIn } from "./fields.ts";
import type { PastedServer } from "./paste.ts";
import { openGaps, type PasteRow, requestOfRow, unseen } from "./paste-rows.ts";
import { PreviewView } from "./preview-view.ts";
import { Refusal } from "./refusal.ts";
import { toolsText } from "./row.ts";

interface PasteCardProps {
  readonly row: PasteRow;
  readonly given: Readonly<Record<string, string>>;
  readonly isTaken: boolean;
  readonly change: (part: Partial<PasteRow>) => void;
}

export function PasteCard({ row, given, isTaken, change }: PasteCardProps): VNode {
  const { server, name, ticked, preview, problem, looking } = row;
  const id = useId();
  const gaps = openGaps(row, given);
  return html`<li class="card stack" data-ticked=${ticked}>
    <div class="servers-pasted-head">
      <input type="checkbox" aria-label=${t("servers.paste.tick", { name })} checked=${ticked} onChange=${() => change({ ticked: !ticked })} />
      <input
        aria-label=${t("servers.paste.name", { name: server.name })}
        aria-invalid=${isTaken}
        aria-describedby=${isTaken ? `${id}-taken` : undefined}
        spellcheck=${false}
        autocomplete="off"
        value=${name}
        onInput=${(event: Event) => change({ ...unseen(row), name: valueIn(event).trim() })}
      />
      <${Seen} row=${row} />
    </div>
    ${isTaken && html`<p class="servers-wrong" id=${`${id}-taken`}>${t("servers.taken")}</p>`}
    <code class="servers-line">${lineOf(server)}</code>
    <${Notes} server=${server} gaps=${gaps} />
    ${looking && html`<${Progress} label=${t("servers.previewing")} />`}
    ${problem && html`<${Refusal} problem=${problem} requests=${[requestOfRow(row, given)]} />`}
    ${
      preview &&
      html`<details open=${!preview.ok}>
      <summary>${t("servers.preview")}</summary>
      <${PreviewView} preview=${preview} />
    </details>`
    }
    ${preview && !preview.ok && !ticked && html`<p class="muted servers-small">${t("servers.paste.tickAgain")}</p>`}
  </li>`;
}

function Seen({ row: { preview, problem } }: { row: PasteRow }): VNode | null {
  if (problem) return html`<${Badge} tone="bad">${t("servers.paste.refused")}</${Badge}>`;
  if (!preview) return null;
  return html`<${Badge} tone=${preview.ok ? "good" : "bad"}>${preview.ok ? toolsText(preview.tools.length) : t("servers.preview.failed")}</${Badge}>`;
}

function Notes({ server, gaps }: { server: PastedServer; gaps: readonly string[] }): VNode | null {
  if (server.notes.length + gaps.length === 0 && !server.isOff) return null;
  return html`<ul class="servers-notes">
    ${server.isOff && html`<li>${t("servers.note.off")}</li>`}
    ${server.notes.map(({ kind, what }) => html`<li key=${kind}>${t(`servers.note.${kind}`, { what })}</li>`)}
    ${gaps.length > 0 && html`<li>${t("servers.note.gaps", { what: gaps.join(", ") })}</li>`}
  </ul>`;
}

/** Without the values of variables and headers: they may be secrets. */
function lineOf({ baseUrl, command = "", args, env, headers }: PastedServer): string {
  const names = [...Object.keys(env).map((name) => `${name}=…`), ...Object.keys(headers).map((name) => `${name}: …`)];
  return [baseUrl ?? [command, ...args].map(quoted).join(" "), ...names].join("   ");
}
