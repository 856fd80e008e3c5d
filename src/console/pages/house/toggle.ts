/** A switch as people know it: a knob that slides, and a word that says the same. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import type { Problem } from "../../kit/problem.ts";
import { t } from "../../kit/words.ts";
import { useSwitch } from "./use-switch.ts";

interface ToggleWords {
  readonly on: string;
  readonly off: string;
}

export function Toggle(props: {
  label: string;
  isOn: boolean;
  turn: (on: boolean) => Promise<void>;
  report: (problem: Problem | undefined) => void;
  words: ToggleWords;
  disabled?: boolean | undefined;
}): VNode {
  const { label, isOn, turn, report, words, disabled } = props;
  const { wanted, press } = useSwitch(isOn, turn, report);
  const isBusy = wanted !== undefined;
  return html`<button type="button" class="house-toggle" role="switch" aria-checked=${isOn} aria-label=${label} aria-busy=${isBusy} disabled=${disabled} onClick=${press}>
    <span class="track"><span class="knob"></span></span>
    <span>${isBusy ? t("house.busy") : isOn ? words.on : words.off}</span>
  </button>`;
}
