/** What stands around a control: its name, whether it must be given, what helps, what is wrong, and how to leave it out. */
import type { VNode } from "preact";
import { type Children, html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { hintsOf, kindWord, wrongText } from "./form-hints.ts";
import { type ControlProps, focusLater } from "./form-scope.ts";
import { startWhenSet } from "./start.ts";
import { idOf } from "./values.ts";

type FrameProps = ControlProps & { readonly children?: Children; readonly tools?: Children };

/** For what has a control of its own, found by its label. What else can be done with it comes behind it, for the keyboard. */
export function Frame(props: FrameProps): VNode {
  const { id, children } = props;
  const wrong = wrongOf(props);
  return html`<div class="field arg" data-wrong=${wrong !== undefined}>
    ${!props.bare && html`<div class="arg-head"><label class="arg-name" for=${id}><${NameText} ...${props} /></label><${Marks} ...${props} /></div>`}
    ${children}
    ${!props.bare && html`<div class="arg-actions"><${Actions} ...${props} /></div>`}
    <${Help} id=${id} shape=${props.shape} wrong=${wrong} bare=${props.bare} />
  </div>`;
}

/** For what has fields inside. */
export function Group(props: FrameProps): VNode {
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
    ${
      !props.bare &&
      html`<div class="arg-head">
        <span id=${`${id}-name`} class="arg-name"><${NameText} ...${props} /></span>
        <${Marks} ...${props} />
        <span class="grow"></span>
        <${Actions} ...${props} />
      </div>`
    }
    <${Help} id=${id} shape=${props.shape} wrong=${wrong} bare=${props.bare} />
    ${children}
  </div>`;
}

function NameText({ shape, name }: ControlProps): VNode {
  const { title } = shape.about;
  return html`${title ?? name}${title !== undefined && title !== name && html` <code class="muted">${name}</code>`}`;
}

function Marks({ shape, required }: ControlProps): VNode {
  return html`
    ${required && html`<span class="arg-required">${t("tools.arg.required")}</span>`}
    <span class="muted arg-kind">${kindWord(shape)}</span>
    ${shape.about.deprecated && html`<span class="arg-kind">${t("tools.arg.deprecated")}</span>`}
  `;
}

function Actions(props: FrameProps): VNode {
  const { shape, required, value } = props;
  return html`
    ${props.tools}
    ${value !== null && shape.about.nullable && html`<${NullButton} ...${props} />`}
    ${!required && value !== undefined && html`<${LeaveOut} ...${props} />`}
    ${props.actions}
  `;
}

function NullButton({ change, ...props }: ControlProps): VNode {
  const press = (): void => {
    change(null);
    focusLater(props.id);
  };
  const label = t("tools.arg.nullNamed", { name: nameOf(props) });
  return html`<button type="button" class="button quiet small" aria-label=${label} onClick=${press}>null</button>`;
}

function LeaveOut({ change, ...props }: ControlProps): VNode {
  const press = (): void => {
    change(undefined);
    focusLater(props.id);
  };
  const label = t("tools.arg.leaveOutNamed", { name: nameOf(props) });
  return html`<button type="button" class="button quiet small" aria-label=${label} onClick=${press}>${t("tools.arg.leaveOut")}</button>`;
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
function describedBy(props: Pick<ControlProps, "id" | "shape" | "form" | "path" | "bare">): string | undefined {
  const { id, shape, bare } = props;
  const ids = [
    ...(shape.about.description !== undefined && !bare ? [`${id}-help`] : []),
    ...(hintsOf(shape).length > 0 ? [`${id}-hints`] : []),
    ...(wrongOf(props) === undefined ? [] : [`${id}-wrong`]),
  ];
  return ids.length > 0 ? ids.join(" ") : undefined;
}

function wrongOf({ form, path }: Pick<ControlProps, "form" | "path">): string | undefined {
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

/** The way into something that is left out and has fields inside. */
export function SetButton(props: ControlProps): VNode {
  const { form, schema, change, required, id } = props;
  const press = (): void => {
    change(startWhenSet(form.shapes, schema));
    focusLater(id);
  };
  return html`<div class="row">
    <button
      type="button"
      class="button small"
      aria-label=${t("tools.arg.setNamed", { name: nameOf(props) })}
      onClick=${press}
    >${t("tools.arg.set")}</button>
    ${!required && html`<span class="muted">${t("tools.arg.isLeftOut")}</span>`}
  </div>`;
}
