/** Servers by the configuration that another client has of them. */
import type { VNode } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import { quoted } from "../../kit/copy.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { servers } from "../../kit/live.ts";
import { Badge, Progress, valueIn } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { TextArea, TextField } from "./fields.ts";
import { type PastedServer, type PasteOutcome, readPaste } from "./paste.ts";
import { PasteFooter } from "./paste-footer.ts";
import type { Gap } from "./paste-gaps.ts";
import { changedRow, isTaken, openGaps, type PasteRow, requestOfRow, rowsOf, unseen } from "./paste-rows.ts";
import { PreviewView } from "./preview-view.ts";
import { Refusal } from "./refusal.ts";
import { toolsText } from "./state.ts";

const EXAMPLE = `{
  "mcpServers": {
    "everything": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-everything"]
    }
  }
}`;

export function AddByPaste(): VNode {
  const [text, setText] = useState("");
  const [rows, setRows] = useState<readonly PasteRow[]>([]);
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  const outcome = useMemo(() => readPaste(text), [text]);
  const attached = useStore(servers);
  const taken = useMemo(() => new Set(attached.map(({ name }) => name)), [attached]);
  const paste = (written: string): void => {
    const read = readPaste(written);
    setText(written);
    setRows(rowsOf(read, taken));
    setGiven(
      read.kind === "read" ? Object.fromEntries(read.gaps.map(({ token, otherwise }) => [token, otherwise])) : {},
    );
  };
  const fill = (token: string, value: string): void => {
    setGiven({ ...given, [token]: value });
    setRows((before) => before.map(unseen));
  };
  return html`<div class="servers-form">
    <div class="card">
      <${TextArea} id="paste" rows=${10} label=${t("servers.paste.label")} help=${t("servers.paste.help")} placeholder=${EXAMPLE} wrong=${wrongIn(outcome)} value=${text} change=${paste} />
    </div>
    ${
      outcome.kind === "read" &&
      html`
      ${(rows.length > 0 || outcome.servers.length === 0) && html`<p role="status">${foundText(rows.length)}</p>`}
      ${outcome.refused.map(({ name, why }) => html`<p key=${name} class="servers-notice" data-tone="warn"><strong>${`${name}: `}</strong>${t(`servers.refused.${why}`)}</p>`)}
      <${Gaps} gaps=${outcome.gaps} given=${given} fill=${fill} />
      <ul class="servers-pasted">
        ${rows.map(
          (row, place) => html`<${PasteCard}
          key=${place}
          row=${row}
          given=${given}
          isTaken=${isTaken(row, rows, taken)}
          change=${(part: Partial<PasteRow>) => setRows((before) => changedRow(before, place, part))}
        />`,
        )}
      </ul>
      <${PasteFooter} rows=${rows} setRows=${setRows} given=${given} taken=${taken} />`
    }
  </div>`;
}

function Gaps(props: {
  gaps: readonly Gap[];
  given: Readonly<Record<string, string>>;
  fill: (token: string, value: string) => void;
}): VNode | null {
  const { gaps, given, fill } = props;
  if (gaps.length === 0) return null;
  return html`<fieldset class="card servers-gaps">
    <legend>${t("servers.gaps")}</legend>
    <p class="muted servers-small">${t("servers.gaps.help")}</p>
    ${gaps.map(
      ({ token, label, secret }, place) => html`<${TextField}
      key=${token}
      id=${`paste-gap-${place}`}
      type=${secret ? "password" : "text"}
      label=${label}
      help=${token}
      value=${given[token] ?? ""}
      change=${(value: string) => fill(token, value)}
    />`,
    )}
  </fieldset>`;
}

function wrongIn(outcome: PasteOutcome): string | undefined {
  if (outcome.kind === "broken") return t("servers.paste.broken", { line: outcome.at.line, column: outcome.at.column });
  return outcome.kind === "unknown" ? t("servers.paste.unknown") : undefined;
}

function foundText(count: number): string {
  return count === 1 ? t("servers.paste.found.one") : t("servers.paste.found.many", { count: number(count) });
}

interface PasteCardProps {
  readonly row: PasteRow;
  readonly given: Readonly<Record<string, string>>;
  readonly isTaken: boolean;
  readonly change: (part: Partial<PasteRow>) => void;
}

/** One of the servers that were pasted: what it is, what does not come along, and what was seen of it. */
function PasteCard({ row, given, isTaken, change }: PasteCardProps): VNode {
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
