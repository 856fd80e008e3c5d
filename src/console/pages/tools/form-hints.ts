/** What helps to fill in a field, in words: what kind of value it is, its limits, its default. */
import type { VNode } from "preact";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import type { Problems, Wrong } from "./problems.ts";
import type { ArrayShape, NumberShape, Shape, TextShape } from "./shape.ts";

const LONGEST_DEFAULT = 120;
const MOST_DIGITS = 10;

/** The kind of value, in a word or two. */
export function kindWord(shape: Shape): string {
  if (shape.kind === "number") return t(shape.whole ? "tools.kind.whole" : "tools.kind.number");
  if (shape.kind === "text" && shape.format !== undefined) return `${t("tools.kind.text")} (${shape.format})`;
  return t(`tools.kind.${shape.kind}`);
}

/** Sentences to be read below the field. */
export function hintsOf(shape: Shape): readonly string[] {
  const { about } = shape;
  const hasDefault = about.default !== undefined && shape.kind !== "const";
  return [
    ...limitsOf(shape),
    ...(shape.kind === "text" && shape.pattern !== undefined
      ? [t("tools.hint.pattern", { pattern: shape.pattern })]
      : []),
    ...(hasDefault ? [t("tools.hint.default", { value: shortJson(about.default) })] : []),
    ...(about.furtherRules ? [t("tools.hint.further")] : []),
    ...(about.broken === undefined ? [] : [t("tools.hint.broken", { ref: about.broken })]),
  ];
}

function limitsOf(shape: Shape): readonly string[] {
  if (shape.kind === "number") return numberLimits(shape);
  if (shape.kind === "text") return textLimits(shape);
  return shape.kind === "array" ? itemLimits(shape) : [];
}

function numberLimits({ least, most, openBelow, openAbove, step }: NumberShape): readonly string[] {
  const [low, high] = [openBelow ? "above" : "least", openAbove ? "below" : "most"] as const;
  return [
    ...(least === undefined ? [] : [t(`tools.limit.${low}`, { limit: digits(least) })]),
    ...(most === undefined ? [] : [t(`tools.limit.${high}`, { limit: digits(most) })]),
    ...(step === undefined ? [] : [t("tools.limit.step", { step: digits(step) })]),
  ];
}

function textLimits({ shortest, longest }: TextShape): readonly string[] {
  return [
    ...(shortest ? [t("tools.limit.shortest", { limit: number(shortest) })] : []),
    ...(longest === undefined ? [] : [t("tools.limit.longest", { limit: number(longest) })]),
  ];
}

function itemLimits({ fewest, most }: ArrayShape): readonly string[] {
  return [
    ...(fewest === 0 ? [] : [t("tools.limit.fewest", { limit: number(fewest) })]),
    ...(most === undefined ? [] : [t("tools.limit.mostItems", { limit: number(most) })]),
  ];
}

export function wrongText(wrong: Wrong): string {
  return t(`tools.wrong.${wrong.code}`, "limit" in wrong ? { limit: digits(wrong.limit) } : {});
}

/** An example to be seen in an empty field; else its default. */
export function placeholderOf({ about }: Shape): string | undefined {
  const [example] = about.examples;
  const shown = example ?? about.default;
  if (shown === undefined) return undefined;
  return typeof shown === "string" ? shown : JSON.stringify(shown);
}

function digits(value: number): string {
  return number(value, MOST_DIGITS);
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > LONGEST_DEFAULT ? `${text.slice(0, LONGEST_DEFAULT)}…` : text;
}

const MOST_SHOWN = 8;

/** What is wrong in a form, in one place: each leads to its field. */
export function ProblemList({ problems, prefix }: { problems: Problems; prefix: string }): VNode | undefined {
  if (problems.size === 0) return undefined;
  const shown = [...problems].slice(0, MOST_SHOWN);
  return html`<div class="problem" role="alert">
    <p><strong>${t("tools.wrong.title")}</strong></p>
    <ul>
      ${shown.map(
        ([place, wrong]) => html`<li key=${place}>
        <button type="button" class="link" onClick=${() => document.getElementById(prefix + place)?.focus()}>${placeText(place)}</button> ${wrongText(wrong)}
      </li>`,
      )}
    </ul>
    ${problems.size > MOST_SHOWN && html`<p>${t("tools.wrong.more", { count: number(problems.size - MOST_SHOWN) })}</p>`}
  </div>`;
}

/** `/rooms/0/name` as people write it. */
function placeText(place: string): string {
  const steps = place.split("/").slice(1).map(decodeURIComponent);
  return steps
    .map((step, at) => (/^\d+$/.test(step) ? `[${Number(step) + 1}]` : at === 0 ? step : `.${step}`))
    .join("");
}
