/** What stands around a control: its name, whether it must be given, what helps, what is wrong, and how to leave it out. */
import type { VNode } from "preact";
import { type Children, html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { hintsOf, kindWord, wrongText } from "./form-hints.ts";
import type { ControlProps } from "./form-scope.ts";
import { idOf } from "./values.ts";

/** For what has a control of its own, found by its label. */
export function Frame(props: ControlProps & { children?: Children; tools?: Children }): VNode {
  const { id, children } = props;
  const wrong = wrongOf(props);
  return html`<div class="field arg" data-wrong=${wrong !== undefined}>
    ${!props.bare && html`<${Head} ...${props} isGroup=${false} />`}
    ${children}
    <${Help} id=${id} shape=${props.shape} wrong=${wrong} bare=${props.bare} />
  </div>`;
}

/** For what has fields inside. */
export function Group(props: ControlProps & { children?: Children; tools?: Children }): VNode {
  const { id, children } = props;
  const wrong = wrongOf(props);
  return html`<div
    class="arg-group"
    role="group"
    id=${id}
    tabindex="-1"
    aria-label=${props.bare ? nameOf(props) : undefined}
    aria-labelledby=${props.bare ? undefined : `${id}-name`}
    aria-describedby=${describedBy(props)}
    data-wrong=${wrong !== undefined}
  >
    ${!props.bare && html`<${Head} ...${props} isGroup=${true} />`}
    <${Help} id=${id} shape=${props.shape} wrong=${wrong} bare=${props.bare} />
    ${children}
  </div>`;
}

function Head(props: ControlProps & { isGroup: boolean; tools?: Children }): VNode {
  const { id, shape, name, required, value, isGroup } = props;
  const { title, deprecated } = shape.about;
  const text = html`${title ?? name}${title !== undefined && title !== name && html` <code class="muted">${name}</code>`}`;
  return html`<div class="arg-head">
    ${isGroup ? html`<span id=${`${id}-name`} class="arg-name">${text}</span>` : html`<label id=${`${id}-name`} class="arg-name" for=${id}>${text}</label>`}
    ${required && html`<span class="arg-required">${t("tools.arg.required")}</span>`}
    <span class="muted arg-kind">${kindWord(shape)}</span>
    ${deprecated && html`<span class="arg-kind">${t("tools.arg.deprecated")}</span>`}
    <span class="grow"></span>
    ${props.tools}
    ${value !== null && shape.about.nullable && html`<${NullButton} ...${props} />`}
    ${!required && value !== undefined && html`<${LeaveOut} ...${props} />`}
    ${props.actions}
  </div>`;
}

function NullButton({ change, ...props }: ControlProps): VNode {
  return html`<button type="button" class="button quiet small" aria-label=${t("tools.arg.nullNamed", { name: nameOf(props) })} onClick=${() => change(null)}>null</button>`;
}

function LeaveOut({ change, ...props }: ControlProps): VNode {
  const label = t("tools.arg.leaveOutNamed", { name: nameOf(props) });
  return html`<button type="button" class="button quiet small" aria-label=${label} onClick=${() => change(undefined)}>${t("tools.arg.leaveOut")}</button>`;
}

function Help(props: {
  id: string;
  shape: ControlProps["shape"];
  wrong: string | undefined;
  bare?: boolean | undefined;
}): VNode {
  const { id, shape, wrong, bare } = props;
  const { description } = shape.about;
  const hints = hintsOf(shape);
  return html`
    ${description !== undefined && !bare && html`<p class="help arg-text" id=${`${id}-help`}>${description}</p>`}
    ${hints.length > 0 && html`<p class="help" id=${`${id}-hints`}>${hints.join(" · ")}</p>`}
    ${wrong !== undefined && html`<p class="wrong" id=${`${id}-wrong`}>${wrong}</p>`}
  `;
}

/** The ids of what is said around it, for its control. */
export function describedBy(props: Pick<ControlProps, "id" | "shape" | "form" | "path" | "bare">): string | undefined {
  const { id, shape, bare } = props;
  const ids = [
    ...(shape.about.description !== undefined && !bare ? [`${id}-help`] : []),
    ...(hintsOf(shape).length > 0 ? [`${id}-hints`] : []),
    ...(wrongOf(props) === undefined ? [] : [`${id}-wrong`]),
  ];
  return ids.length > 0 ? ids.join(" ") : undefined;
}

export function wrongOf({ form, path }: Pick<ControlProps, "form" | "path">): string | undefined {
  const wrong = form.problems.get(idOf(path));
  return wrong && wrongText(wrong);
}

export function nameOf({ shape, name }: Pick<ControlProps, "shape" | "name">): string {
  return shape.about.title ?? name;
}

/** What an `input` of a field has in any case. */
export function controlAttributes(props: ControlProps): Record<string, unknown> {
  return {
    id: props.id,
    "aria-label": props.bare ? nameOf(props) : undefined,
    "aria-describedby": describedBy(props),
    "aria-required": props.required,
    "aria-invalid": wrongOf(props) !== undefined,
  };
}
