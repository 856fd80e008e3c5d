/** What the list is narrowed down by: the bar with its fields, and the filter in step with the address. */
import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CallRow } from "../../../doors/live/views.ts";
import { html } from "../../kit/html.ts";
import { valueIn } from "../../kit/parts.ts";
import { linkTo, useRoute } from "../../kit/router.ts";
import { t } from "../../kit/words.ts";
import { outcomeWord } from "./call-parts.ts";
import { type CallFilter, FAILED, filterIn, grown, isSame, NO_FILTER, queryOf, STATES } from "./filter.ts";

type Choice = readonly [value: string, label: string];

export function FilterBar(props: {
  filter: CallFilter;
  change: (filter: CallFilter) => void;
  rows: readonly CallRow[];
}): VNode {
  const { filter, change, rows } = props;
  const sources = useSeen(rows, "source", filter.source);
  const outcomes = useSeen(rows, "outcome", filter.outcome === FAILED ? "" : filter.outcome);
  const set = (part: Partial<CallFilter>): void => change({ ...filter, ...part });
  return html`<div class="call-filter" role="search">
    <${Labelled} label=${t("calls.filter.search")} wide=${true} draw=${(id: string) =>
      html`<input id=${id} type="search" autocomplete="off" spellcheck="false" placeholder=${t("calls.filter.placeholder")} value=${filter.search} onInput=${(event: Event) => set({ search: valueIn(event) })} />`} />
    <${Choose} label=${t("calls.filter.state")} value=${filter.state} change=${(state: string) => set({ state })} choices=${stateChoices()} />
    <${Choose} label=${t("calls.filter.outcome")} value=${filter.outcome} change=${(outcome: string) => set({ outcome })} choices=${outcomeChoices(outcomes)} />
    <${Choose} label=${t("calls.filter.source")} value=${filter.source} change=${(source: string) => set({ source })} choices=${sources.map((source) => [source, source])} />
    <button type="button" class="button" disabled=${isSame(filter, NO_FILTER)} onClick=${() => change(NO_FILTER)}>${t("calls.filter.clear")}</button>
  </div>`;
}

function Choose(props: {
  label: string;
  value: string;
  change: (value: string) => void;
  choices: readonly Choice[];
}): VNode {
  const { label, value, change, choices } = props;
  return html`<${Labelled} label=${label} draw=${(id: string) => html`<select
    id=${id}
    value=${value}
    onChange=${(event: Event) => change(valueIn(event))}
  >
    <option value="">${t("calls.filter.all")}</option>
    ${choices.map(([each, name]) => html`<option key=${each} value=${each}>${name}</option>`)}
  </select>`} />`;
}

function Labelled(props: { label: string; wide?: boolean | undefined; draw: (id: string) => VNode }): VNode {
  const id = useId();
  return html`<div class="call-filter-part" data-wide=${props.wide === true}>
    <label for=${id}>${props.label}</label>
    ${props.draw(id)}
  </div>`;
}

function stateChoices(): readonly Choice[] {
  return STATES.map((state) => [state, t(`calls.state.${state}`)]);
}

/** Two codes may share one word: then the code tells them apart. */
function outcomeChoices(outcomes: readonly string[]): readonly Choice[] {
  const words = outcomes.map(outcomeWord);
  const isShared = (word: string): boolean => words.indexOf(word) !== words.lastIndexOf(word);
  const seen = outcomes.map((code): Choice => {
    const word = outcomeWord(code);
    return [code, isShared(word) ? `${word} (${code})` : word];
  });
  return [[FAILED, t("calls.filter.failed")], ...seen];
}

/** All that came by since the page was opened, and what is chosen. */
function useSeen(rows: readonly CallRow[], part: "source" | "outcome", chosen: string): readonly string[] {
  const seen = useRef<readonly string[]>(part === "outcome" ? ["ok", "tool-failed"] : []);
  const looked = useRef<readonly CallRow[]>([]);
  if (looked.current !== rows) {
    looked.current = rows;
    seen.current = grown(
      seen.current,
      rows.map((row) => row[part]),
    );
  }
  seen.current = grown(seen.current, [chosen]);
  return seen.current;
}

const REST_MS = 200;

/** The filter as it is typed; the address follows when the typing rests, and leads when somebody follows a link. */
export function useFilter(): readonly [CallFilter, (filter: CallFilter) => void] {
  const { parts, query } = useRoute();
  const [filter, setFilter] = useState(() => filterIn(query));
  const written = useRef(queryOf(filter));
  useEffect(() => {
    const asked = queryOf(filterIn(query));
    if (asked === written.current) return;
    written.current = asked;
    setFilter(filterIn(query));
  }, [query]);
  useEffect(() => {
    const wanted = queryOf(filter);
    if (wanted === written.current) return;
    const timer = setTimeout(() => {
      written.current = wanted;
      // `replace` makes no step in the history for every letter.
      location.replace(`${linkTo("calls", ...parts)}${wanted}`);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [filter, parts]);
  return [filter, setFilter];
}
