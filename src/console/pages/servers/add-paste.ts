/** Servers by the configuration that another client has of them. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { servers } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { TextArea, TextField } from "./fields.ts";
import { type PasteOutcome, readPaste } from "./paste.ts";
import { PasteCard } from "./paste-card.ts";
import { PasteFooter } from "./paste-footer.ts";
import type { Gap } from "./paste-gaps.ts";
import { changedRow, isTaken, type PasteRow, rowsOf, unseen } from "./paste-rows.ts";

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
