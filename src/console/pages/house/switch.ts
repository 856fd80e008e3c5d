/** Switching something in a house: the control, the call, and the wait until the house shows that it is done. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Problem, toProblem } from "../../kit/api.ts";
import { callTool, type ToolResult } from "../../kit/call-tool.ts";
import { html } from "../../kit/html.ts";
import { homes, house } from "../../kit/live.ts";
import { t } from "../../kit/words.ts";
import { serviceFor, stateOf } from "./entities.ts";

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

interface Switch {
  /** What it is going to be; undefined while nothing is under way. */
  readonly wanted: boolean | undefined;
  press(): void;
}

/** `report` is told of a failure, and of nothing when it begins anew. */
export function useSwitch(
  isOn: boolean,
  turn: (on: boolean) => Promise<void>,
  report: (problem: Problem | undefined) => void,
): Switch {
  const [wanted, setWanted] = useState<boolean>();
  const press = async (): Promise<void> => {
    setWanted(!isOn);
    report(undefined);
    try {
      await turn(!isOn);
    } catch (cause) {
      report(toProblem(cause));
    } finally {
      setWanted(undefined);
    }
  };
  return { wanted, press: () => void (wanted === undefined && press()) };
}

/** The name of the simulated house as a server. */
const HOUSE = "house";

/** Does something in a house, and waits until it is seen to be done. */
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

/** A tool that says that it failed has failed. */
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

/** Resolves when it is so; and also when it has not come to be, since somebody else may have changed it back. */
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
