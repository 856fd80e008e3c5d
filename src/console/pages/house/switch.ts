/** Switching something in a house: the control, the call, and the wait until the house shows that it is done. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Problem, toProblem } from "../../kit/api.ts";
import { callTool, type ToolResult } from "../../kit/call-tool.ts";
import { html } from "../../kit/html.ts";
import { homes, house } from "../../kit/live.ts";
import { t } from "../../kit/words.ts";
import { serviceFor, stateOf } from "./entities.ts";

/** A switch as people know it: a knob that slides, and a word that says the same. */
export function Toggle(props: {
  label: string;
  isOn: boolean;
  turn: (on: boolean) => Promise<void>;
  report: (problem: Problem | undefined) => void;
  words: { readonly on: string; readonly off: string };
  disabled?: boolean | undefined;
}): VNode {
  const { label, isOn, turn, report, words, disabled } = props;
  const { isBusy, press } = useSwitch(isOn, turn, report);
  return html`<button type="button" class="house-toggle" role="switch" aria-checked=${isOn} aria-label=${label} aria-busy=${isBusy} disabled=${disabled} onClick=${press}>
    <span class="track"><span class="knob"></span></span>
    <span>${isBusy ? t("house.busy") : isOn ? words.on : words.off}</span>
  </button>`;
}

interface Switch {
  /** It was pressed, and the house does not show it yet. */
  readonly isBusy: boolean;
  press(): void;
}

/** Something that is on or off. `report` is told of a failure, and of undefined when it is pressed again. */
export function useSwitch(
  isOn: boolean,
  turn: (on: boolean) => Promise<void>,
  report: (problem: Problem | undefined) => void,
): Switch {
  const [isBusy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    setBusy(true);
    report(undefined);
    await turn(!isOn).catch((cause) => report(toProblem(cause)));
    setBusy(false);
  };
  return { isBusy, press: () => void (!isBusy && press()) };
}

/** The name of the simulated house as a server. */
const HOUSE = "house";

export async function setLamp(name: string, on: boolean): Promise<void> {
  await act(HOUSE, "set_light_state", { name, on });
  await until(house, (now) => now?.lights[name] === on);
}

export async function setAlarm(armed: boolean): Promise<void> {
  await act(HOUSE, "set_alarm_state", { armed });
  await until(house, (now) => now?.alarm === armed);
}

export async function setEntity(home: string, id: string, on: boolean): Promise<void> {
  await act(home, "call_service", serviceFor(id, on));
  await until(homes, (now) => stateOf(now, home, id) === (on ? "on" : "off"));
}

/** Calls a tool; one that says that it failed is a problem too. */
async function act(server: string, tool: string, args: object): Promise<void> {
  const result = await callTool(server, tool, args);
  if (result.isError) throw new Problem(200, { detail: textOf(result) });
}

function textOf({ content = [] }: ToolResult): string {
  return content.flatMap(({ text }) => text ?? []).join("\n");
}

interface Watched<Value> {
  get(): Value;
  subscribe(listener: () => void): () => void;
}

const MOST_MS = 2_000;

/**
 * Waits for what the hub will tell by itself. Resolves too when that does not come in time, since somebody else may have
 * changed it back.
 */
export function until<Value>(
  store: Watched<Value>,
  isSo: (value: Value) => boolean,
  mostMs: number = MOST_MS,
): Promise<void> {
  if (isSo(store.get())) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(end, mostMs);
    const stop = store.subscribe(() => isSo(store.get()) && end());
  });
}
