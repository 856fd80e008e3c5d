/** Text: a line, several, or what a browser has a calendar or a keyboard of its own for. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { valueIn } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { controlAttributes, Frame, nameOf } from "./form-frame.ts";
import { placeholderOf } from "./form-hints.ts";
import { type ControlProps, focusLater } from "./form-scope.ts";

type Props = ControlProps<"text">;

/** What a browser has a keyboard for; whether it is one is for the hub to say. */
const TYPES: Readonly<Record<string, string>> = {
  email: "email",
  "idn-email": "email",
  uri: "url",
  "uri-reference": "url",
  iri: "url",
  url: "url",
  password: "password",
};
const LONG_VALUE = 120;
const MOST_ROWS = 12;

export function TextControl(props: Props): VNode {
  const text = typeof props.value === "string" ? props.value : "";
  const { format } = props.shape;
  if (format === "date" && (text === "" || isDate(text))) return html`<${DateControl} ...${props} text=${text} />`;
  if (format === "date-time" && (text === "" || isDateTime(text)))
    return html`<${MomentControl} ...${props} text=${text} />`;
  return html`<${LineControl} ...${props} text=${text} />`;
}

/** Once it is of several lines it stays so: a control that changes under the hand loses the cursor. */
function LineControl(props: Props & { text: string }): VNode {
  const { shape, text, id } = props;
  const [isLong, setLong] = useState(shape.long || text.length > LONG_VALUE);
  const hasLines = isLong || text.includes("\n");
  const unfold = (): void => {
    setLong(true);
    focusLater(id);
  };
  useEffect(() => {
    if (hasLines) setLong(true);
  }, [hasLines]);
  const tools =
    !hasLines && !Object.hasOwn(TYPES, shape.format ?? "") && html`<${LinesButton} ...${props} unfold=${unfold} />`;
  return html`<${Frame} ...${props} tools=${tools}>
    ${hasLines ? html`<${Lines} ...${props} />` : html`<${Line} ...${props} unfold=${unfold} />`}
    <${EmptyNote} ...${props} />
  </${Frame}>`;
}

function LinesButton({ unfold, ...props }: Props & { unfold: () => void }): VNode {
  const label = t("tools.arg.linesNamed", { name: nameOf(props) });
  return html`<button type="button" class="button quiet small" aria-label=${label} onClick=${unfold}>${t("tools.arg.lines")}</button>`;
}

function Line(props: Props & { text: string; unfold: () => void }): VNode {
  const { shape, text, change } = props;
  /** A line would swallow the breaks. */
  const paste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData?.getData("text") ?? "";
    if (!/[\r\n]/.test(pasted.trim())) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.target as HTMLInputElement;
    props.unfold();
    change(text.slice(0, selectionStart ?? text.length) + pasted + text.slice(selectionEnd ?? text.length));
  };
  return html`<input
    ...${controlAttributes(props)}
    type=${TYPES[shape.format ?? ""] ?? "text"}
    autocomplete="off"
    spellcheck=${false}
    placeholder=${placeholderOf(shape)}
    value=${text}
    onInput=${(event: Event) => change(valueIn(event))}
    onPaste=${paste}
  />`;
}

function Lines(props: Props & { text: string }): VNode {
  const { shape, text, change } = props;
  return html`<textarea
    ...${controlAttributes(props)}
    spellcheck=${false}
    rows=${Math.min(MOST_ROWS, Math.max(4, text.split("\n").length + 1))}
    placeholder=${placeholderOf(shape)}
    value=${text}
    onInput=${(event: Event) => change(valueIn(event))}
  ></textarea>`;
}

/** Says whether empty text is sent or nothing, which look the same. */
function EmptyNote({ value, required, change, ...props }: Props): VNode | undefined {
  if (value === "") return html`<p class="help">${t("tools.arg.sentEmpty")}</p>`;
  const isMissing = required && props.form.problems.size > 0 && value === undefined;
  if (!isMissing || (props.shape.shortest ?? 0) > 0) return undefined;
  const press = (): void => {
    change("");
    focusLater(props.id);
  };
  return html`<p><button type="button" class="button small" onClick=${press}>${t("tools.arg.sendEmpty")}</button></p>`;
}

function DateControl(props: Props & { text: string }): VNode {
  const { text, change } = props;
  return html`<${Frame} ...${props}>
    <input ...${controlAttributes(props)} type="date" value=${text} onInput=${(event: Event) => change(valueIn(event) || undefined)} />
  </${Frame}>`;
}

/** The calendar shows the reader's time; what is sent is the moment for everybody. */
function MomentControl(props: Props & { text: string }): VNode {
  const { text, change } = props;
  return html`<${Frame} ...${props}>
    <input
      ...${controlAttributes(props)}
      type="datetime-local"
      step="1"
      value=${text === "" ? "" : localOf(text)}
      onInput=${(event: Event) => change(momentOf(valueIn(event)))}
    />
    ${text !== "" && html`<p class="help"><code>${text}</code></p>`}
  </${Frame}>`;
}

/** Dates as schemas want them (RFC 3339); a browser's calendar gives them without a time zone. */
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

export function isDate(text: string): boolean {
  return DATE.test(text) && !Number.isNaN(Date.parse(text));
}

export function isDateTime(text: string): boolean {
  return DATE_TIME.test(text) && !Number.isNaN(Date.parse(text));
}

/** The moment in the reader's own time: `2026-08-01T12:00:00`. */
export function localOf(dateTime: string): string {
  const moment = new Date(dateTime);
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

/** The same moment for everybody; undefined while it is not finished. */
export function momentOf(local: string): string | undefined {
  const moment = new Date(local);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString().replace(".000Z", "Z");
}
