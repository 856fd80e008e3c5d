/** Views of the same thing, one at a time: arrow keys go from one to the next. */
import type { VNode } from "preact";
import { useId, useRef } from "preact/hooks";
import { type Children, html } from "../../kit/html.ts";

interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

export function Tabs<Name extends string>(props: {
  label: string;
  tabs: readonly Tab<Name>[];
  current: Name;
  change: (name: Name) => void;
  children?: Children;
}): VNode {
  const { label, tabs, current, change, children } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const press = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex(({ name }) => name === current);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    change(next.name);
    list.current?.querySelector<HTMLElement>(`[data-name="${next.name}"]`)?.focus();
  };
  return html`
    <div ref=${list} class="tabs" role="tablist" aria-label=${label} onKeyDown=${press}>
      ${tabs.map(
        ({ name, label: text }) => html`<button
          type="button"
          role="tab"
          key=${name}
          id=${`${id}-${name}`}
          data-name=${name}
          aria-selected=${name === current}
          aria-controls=${`${id}-panel`}
          tabindex=${name === current ? 0 : -1}
          onClick=${() => change(name)}
        >${text}</button>`,
      )}
    </div>
    <div id=${`${id}-panel`} role="tabpanel" aria-labelledby=${`${id}-${current}`}>${children}</div>
  `;
}
