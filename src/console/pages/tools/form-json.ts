/** A value that no other field can express, as JSON. */
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { readJson } from "../../kit/exact-json.ts";
import { html } from "../../kit/html.ts";
import { Draft } from "./draft.ts";
import { controlAttributes, Frame } from "./form-frame.ts";
import { placeholderOf } from "./form-hints.ts";
import type { ControlProps } from "./form-scope.ts";

const MOST_ROWS = 12;

/** What is typed stays as it is typed for as long as it is the value. */
export function JsonControl(props: ControlProps): VNode {
  const { shape, value, change } = props;
  const typed = useRef({ text: "", value: undefined as unknown });
  const shown = typed.current.value === value ? typed.current.text : jsonText(value);
  const input = (event: Event): void => {
    const { value: text } = event.target as HTMLTextAreaElement;
    const next = valueIn(text);
    typed.current = { text, value: next };
    change(next);
  };
  return html`<${Frame} ...${props}>
    <textarea
      ...${controlAttributes(props)}
      spellcheck=${false}
      rows=${Math.min(MOST_ROWS, Math.max(2, shown.split("\n").length))}
      placeholder=${placeholderOf(shape) ?? "{ }"}
      value=${shown}
      onInput=${input}
    ></textarea>
  </${Frame}>`;
}

function valueIn(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return readJson(text);
  } catch {
    return new Draft(text);
  }
}

function jsonText(value: unknown): string {
  if (value instanceof Draft) return value.text;
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}
