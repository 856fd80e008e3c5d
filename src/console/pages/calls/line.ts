/** One call in the list. In a flood hundreds come and go in a second: a row that has not changed is not drawn again. */
import { Component, type VNode } from "preact";
import type { CallRow } from "../../../doors/live/views.ts";
import { span, startTime } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { linkTo } from "../../kit/router.ts";
import { language, t } from "../../kit/words.ts";
import { CancelButton, callKey, Elapsed, OutcomeMark } from "./call-parts.ts";

interface CallLineProps {
  readonly call: CallRow;
  /** By the page's own clock; undefined for one that has ended. */
  readonly began: number | undefined;
  /** The filter, which stays in the address while one call is looked at. */
  readonly query: string;
  /** The one that the Tab key reaches; arrows reach the others. */
  readonly isActive: boolean;
}

const LOOKED_AT = ["call", "began", "query", "isActive"] as const;

export class CallLine extends Component<CallLineProps> {
  #spoken = "";

  override shouldComponentUpdate(next: CallLineProps): boolean {
    return this.#spoken !== language.get() || LOOKED_AT.some((name) => next[name] !== this.props[name]);
  }

  override render({ call, began, query, isActive }: CallLineProps): VNode {
    this.#spoken = language.get();
    const id = callKey(call);
    const tabindex = isActive ? 0 : -1;
    return html`<div class="call-line">
      <a class="call-link" href=${`${linkTo("calls", String(id))}${query}`} data-call=${id} tabindex=${tabindex}>
        <${OutcomeMark} call=${call} />
        <span class="call-tool ellipsis">${call.tool}</span>
        <span class="call-source ellipsis">${call.source}</span>
        <span class="call-door ellipsis">${call.node === undefined ? call.door : `${call.door} · ${call.node}`}</span>
        <span class="call-principal ellipsis">${call.principal}</span>
        <span class="call-class ellipsis">${t(`calls.class.${call.priority}`)}</span>
        <span class="call-wait">${waitOf(call, began)}</span>
        <span class="call-time">${timeOf(call, began)}</span>
        <span class="call-start ellipsis">${startTime(call.startedUtc)}</span>
      </a>
      <span class="call-action">
        ${
          call.state !== "ended" &&
          html`<${CancelButton} call=${call} class="button small danger" tabindex=${tabindex} done=${() => focusCall(id)} />`
        }
      </span>
    </div>`;
  }
}

/** The button goes with the call's end: who pressed it stays at the call. */
export function focusCall(id: number | string): boolean {
  const link = document.querySelector<HTMLElement>(`[data-call="${CSS.escape(String(id))}"]`);
  link?.focus({ preventScroll: true });
  return link !== null;
}

/** Until its first attempt, a call has only waited. */
function waitOf(call: CallRow, began: number | undefined): VNode | string {
  return call.state === "waiting" ? elapsed(call.queuedMs, began) : span(call.queuedMs);
}

function timeOf(call: CallRow, began: number | undefined): VNode | string {
  return call.state === "ended" ? span(call.ms) : elapsed(call.ms, began);
}

function elapsed(ms: number, began: number | undefined): VNode | string {
  return began === undefined ? span(ms) : html`<${Elapsed} began=${began} />`;
}
