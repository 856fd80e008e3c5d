/** Who is at home: a form that stands for the presence detector of a real house, and where people are drawn in the plan. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { HouseView } from "../../../doors/live/views.ts";
import { type Problem, rest, toProblem } from "../../kit/api.ts";
import { html } from "../../kit/html.ts";
import { house, me } from "../../kit/live.ts";
import { Field, valueIn, WorkButton } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { language, t } from "../../kit/words.ts";
import type { Box } from "./plan.ts";
import { until } from "./switch.ts";

export function Presence({ presence }: { presence: HouseView["presence"] }): VNode {
  const isAdmin = useStore(me)?.admin === true;
  const [problem, setProblem] = useState<Problem>();
  const field = useRef<HTMLInputElement>(null);
  const names = namesOf(presence);
  const change = async (people: readonly string[]): Promise<void> => {
    setProblem(undefined);
    await sayWhoIsThere(people);
    field.current?.focus();
  };
  return html`<section class="card house-presence" aria-labelledby="presence-title">
    <h3 id="presence-title">${t("house.presence")}</h3>
    <p role="status">${summaryOf(presence)}</p>
    ${
      names.length > 0 &&
      html`<ul class="house-people" aria-label=${t("house.people")}>
        ${names.map(
          (name) => html`<li key=${name}>
            <span class="ellipsis">${name}</span>
            <${WorkButton} class="button quiet small" disabled=${!isAdmin} failed=${setProblem} work=${() => change(names.filter((each) => each !== name))}>
              <span aria-hidden="true">✕</span><span class="hidden-text">${t("house.left", { name })}</span>
            </${WorkButton}>
          </li>`,
        )}
      </ul>`
    }
    <${Arrival} names=${names} change=${change} field=${field} problem=${problem} report=${setProblem} disabled=${!isAdmin} />
    ${presence.present && html`<${WorkButton} disabled=${!isAdmin} failed=${setProblem} work=${() => change([])}>${t("house.allLeft")}</${WorkButton}>`}
    ${!isAdmin && html`<p class="muted">${t("house.adminOnly")}</p>`}
  </section>`;
}

function Arrival(props: {
  names: readonly string[];
  change: (people: readonly string[]) => Promise<void>;
  field: { current: HTMLInputElement | null };
  problem: Problem | undefined;
  report: (problem: Problem) => void;
  disabled: boolean;
}): VNode {
  const { names, change, field, problem, report, disabled } = props;
  const [written, setWritten] = useState("");
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await change(withMore(names, written));
      setWritten("");
    } catch (cause) {
      report(toProblem(cause));
    } finally {
      setBusy(false);
    }
  };
  return html`<form onSubmit=${submit}>
    <${Field} id="arrival" label=${t("house.arrival")} help=${t("house.arrivalHelp")} wrong=${problem && whyOf(problem)}>
      <div class="house-arrival">
        <input
          ref=${field}
          id="arrival"
          autocomplete="off"
          aria-describedby=${problem ? "arrival-wrong arrival-help" : "arrival-help"}
          aria-invalid=${problem !== undefined}
          disabled=${disabled}
          value=${written}
          onInput=${(event: Event) => setWritten(valueIn(event))}
        />
        <button class="button" disabled=${disabled || isBusy || written.trim() === ""} aria-busy=${isBusy}>${t("house.add")}</button>
      </div>
    </${Field}>
  </form>`;
}

async function sayWhoIsThere(people: readonly string[]): Promise<void> {
  await rest.setPresence({ body: { people } });
  const wanted = people.join("\n");
  await until(
    house,
    (now) => now?.presence.present === people.length > 0 && now.presence.known_people.join("\n") === wanted,
  );
}

function summaryOf(presence: HouseView["presence"]): string {
  if (!presence.present) return t("house.nobody");
  const names = presence.known_people;
  if (names.length === 0) return t("house.somebodyHome");
  return t("house.atHome", { names: new Intl.ListFormat(language.get()).format(names) });
}

/** Why the hub refused, field by field where it says so. */
function whyOf(problem: Problem): string {
  if (problem.status === 0) return t("problem.unreachable");
  return problem.body.errors?.map(({ message }) => message).join(" ") || problem.message;
}

export interface Figure {
  readonly x: number;
  readonly y: number;
  /** Empty for somebody of whom nothing is known. */
  readonly name: string;
  /** How many more there are than are drawn; only the last has any. */
  readonly more: number;
}

const ROOM_FOR_ONE = 62;

/** A presence detector may know that somebody is there without knowing who. */
export function namesOf({ present, known_people }: HouseView["presence"]): readonly string[] {
  return present ? known_people : [];
}

/** Where people are drawn: side by side, as many as there is room for. */
export function figuresIn(place: Box, { present, known_people }: HouseView["presence"]): readonly Figure[] {
  if (!present) return [];
  const names = known_people.length > 0 ? known_people : [""];
  const shown = Math.min(names.length, Math.max(1, Math.floor(place.width / ROOM_FOR_ONE)));
  const step = Math.min(place.width / shown, ROOM_FOR_ONE * 1.4);
  const first = place.x + (place.width - step * (shown - 1)) / 2;
  return names.slice(0, shown).map((name, index) => {
    const more = index === shown - 1 ? names.length - shown : 0;
    return { x: first + index * step, y: place.y + place.height / 2, name, more };
  });
}

/** The people who are known with those who were typed, separated by commas. */
export function withMore(known: readonly string[], written: string): readonly string[] {
  const names = written.split(/[,;，、；]/).map((name) => name.trim());
  return [...new Set([...known, ...names])].filter((name) => name !== "");
}
