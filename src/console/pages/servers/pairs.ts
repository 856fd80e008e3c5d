/** Names and values, any number of them: headers, variables. Values are secrets until somebody wants to see them. */
import type { VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { valueIn } from "./fields.ts";
import type { Pair } from "./form-model.ts";

interface PairsProps {
  readonly legend: string;
  readonly help: string;
  readonly add: string;
  readonly pairs: readonly Pair[];
  readonly change: (pairs: readonly Pair[]) => void;
  readonly wrong?: string | undefined;
}

export function Pairs({ legend, help, add, pairs, change, wrong }: PairsProps): VNode {
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  const set = (place: number, part: Partial<Pair>): void =>
    change(pairs.map((pair, index) => (index === place ? { ...pair, ...part } : pair)));
  const remove = (place: number): void => {
    change(pairs.filter((_, index) => index !== place));
    adder.current?.focus();
  };
  return html`<fieldset class="servers-pairs" aria-describedby=${`${id}-help`}>
    <legend>${legend}</legend>
    <p class="muted servers-small" id=${`${id}-help`}>${help}</p>
    ${pairs.map(
      ({ name, value }, place) => html`<div key=${place} class="servers-pair">
        <input
          aria-label=${t("servers.pair.name", { number: place + 1 })}
          placeholder=${t("servers.pair.namePlaceholder")}
          value=${name}
          autocomplete="off"
          spellcheck=${false}
          ref=${focusNew(name, value)}
          onInput=${(event: Event) => set(place, { name: valueIn(event) })}
        />
        <input
          type=${isShown ? "text" : "password"}
          aria-label=${t("servers.pair.value", { number: place + 1 })}
          placeholder=${t("servers.pair.valuePlaceholder")}
          value=${value}
          autocomplete="off"
          spellcheck=${false}
          onInput=${(event: Event) => set(place, { value: valueIn(event) })}
        />
        <button type="button" class="button quiet" aria-label=${t("servers.pair.remove", { number: place + 1 })} onClick=${() => remove(place)}>✕</button>
      </div>`,
    )}
    ${wrong && html`<p class="servers-wrong">${wrong}</p>`}
    <div class="row">
      <button ref=${adder} type="button" class="button small" onClick=${() => change([...pairs, { name: "", value: "" }])}>${add}</button>
      ${pairs.length > 0 && html`<label class="check servers-small"><input type="checkbox" checked=${isShown} onChange=${() => setIsShown(!isShown)} /> ${t("servers.pair.show")}</label>`}
    </div>
  </fieldset>`;
}

/** One that has just been added is the one that somebody wants to fill in. */
function focusNew(name: string, value: string): ((element: HTMLInputElement | null) => void) | undefined {
  if (name !== "" || value !== "") return undefined;
  return (element) => {
    if (!element || element.dataset["seen"]) return;
    element.dataset["seen"] = "yes";
    element.focus();
  };
}
