/** Looking at all that is ticked, then adding it; and how far that is. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { toProblem } from "../../kit/api.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Badge, ProblemBox, Progress } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { addable, eachOf, isTaken, type PasteRow, refused, requestOfRow, seen, unseen } from "./paste-rows.ts";
import { goTo, serverLink } from "./route.ts";
import { toolsText } from "./state.ts";
import { preview, register, type Work, works } from "./work.ts";

/** How many servers are looked at or added at once; the hub's own limit is higher, and is shared with others. */
const AT_ONCE = 4;

interface PasteFooterProps {
  readonly rows: readonly PasteRow[];
  readonly setRows: (change: (rows: readonly PasteRow[]) => readonly PasteRow[]) => void;
  readonly given: Readonly<Record<string, string>>;
  readonly taken: ReadonlySet<string>;
}

export function PasteFooter({ rows, setRows, given, taken }: PasteFooterProps): VNode {
  const [added, setAdded] = useState<readonly string[]>([]);
  const [isAdding, setAdding] = useState(false);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const put = (server: PasteRow["server"], change: (row: PasteRow) => PasteRow): void =>
    setRows((before) => before.map((row) => (row.server === server ? change(row) : row)));
  const ticked = rows.filter((row) => row.ticked && !isTaken(row, rows, taken));
  const look = async (): Promise<void> => {
    if (isBusy) return;
    stop.current = new AbortController();
    const { signal } = stop.current;
    for (const { server } of ticked) put(server, (row) => ({ ...unseen(row), looking: true }));
    await eachOf(ticked, AT_ONCE, async (row) => {
      if (signal.aborted) return;
      try {
        const found = await preview(requestOfRow(row, given), signal);
        put(row.server, (now) => seen(now, found));
      } catch (cause) {
        put(row.server, (now) => (signal.aborted ? unseen(now) : refused(now, toProblem(cause))));
      }
    });
  };
  const cancel = (): void => {
    stop.current?.abort();
    setRows((before) => before.map((row) => (row.looking ? unseen(row) : row)));
  };
  const ready = addable(rows, taken);
  const looking = rows.filter((row) => row.looking).length;
  const isBusy = looking > 0 || isAdding;
  const add = async (): Promise<void> => {
    if (isBusy) return;
    setAdding(true);
    const names = await addAll(ready, given, put);
    setAdding(false);
    // The only server that was pasted is added: its own page is next.
    if (names.length === 1 && rows.length === 1) return goTo(serverLink(names[0] ?? ""));
    setRows((before) => before.filter(({ name }) => !names.includes(name)));
    setAdded([...added, ...names]);
  };
  return html`<div class="stack">
    ${looking > 0 && html`<${Progress} label=${t("servers.previewing")} value=${1 - looking / Math.max(1, looking, ticked.length)} />`}
    ${
      rows.length > 0 &&
      html`<div class="actions">
      ${looking > 0 && html`<button type="button" class="button" onClick=${cancel}>${t("servers.stop")}</button>`}
      <button type="button" class=${ready.length > 0 ? "button" : "button primary"} disabled=${ticked.length === 0} aria-disabled=${isBusy} onClick=${look}>${t("servers.preview")}</button>
      <button type="button" class=${ready.length > 0 ? "button primary" : "button"} disabled=${ready.length === 0} aria-disabled=${isBusy} aria-busy=${isAdding} onClick=${add}>
        ${addText(ready.length)}
      </button>
    </div>`
    }
    <${Added} names=${added} />
  </div>`;
}

function addText(count: number): string {
  if (count === 0) return t("servers.form.add");
  return count === 1 ? t("servers.paste.add.one") : t("servers.paste.add.many", { count: number(count) });
}

/** The names of those that are registered now; of the others, their rows say why not. */
async function addAll(
  rows: readonly PasteRow[],
  given: Readonly<Record<string, string>>,
  put: (server: PasteRow["server"], change: (row: PasteRow) => PasteRow) => void,
): Promise<readonly string[]> {
  const names: string[] = [];
  await eachOf(rows, AT_ONCE, async (row) => {
    try {
      names.push((await register(requestOfRow(row, given))).name);
    } catch (cause) {
      put(row.server, (now) => refused(now, toProblem(cause)));
    }
  });
  return names;
}

function Added({ names }: { names: readonly string[] }): VNode | null {
  const all = useStore(works);
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone with its row.
  useEffect(() => heading.current?.focus(), [names.length]);
  if (names.length === 0) return null;
  return html`<section class="card" aria-labelledby="servers-added">
    <h3 id="servers-added" ref=${heading} tabindex="-1">${t("servers.added")}</h3>
    <ul class="servers-added">
      ${names.map((name) => html`<li key=${name}><a href=${serverLink(name)}>${name}</a> <${AddedState} work=${all.get(name)} /></li>`)}
    </ul>
    <p><a href=${linkTo("servers")}>${t("servers.back")}</a></p>
  </section>`;
}

function AddedState({ work }: { work: Work | undefined }): VNode {
  const { outcome } = work ?? {};
  if (!outcome) return html`<${Progress} label=${t("servers.doing.discover")} />`;
  if (outcome.kind === "failed") return html`<${ProblemBox} problem=${outcome.problem} />`;
  return html`<${Badge} tone="good">${outcome.kind === "tools" ? toolsText(outcome.count) : t(`servers.state.${outcome.state}`)}</${Badge}>`;
}
