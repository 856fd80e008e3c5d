/** Who is at home, and a small form to say so: it stands for the presence detector that a real house has. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { HouseView } from "../../../doors/live/views.ts";
import { type Problem, rest, toProblem } from "../../kit/api.ts";
import { html } from "../../kit/html.ts";
import { house, me } from "../../kit/live.ts";
import { Field, valueIn, WorkButton } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { language, t } from "../../kit/words.ts";
import { namesOf, withMore } from "./people.ts";
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

/** The rule that was broken, where that is what went wrong. */
function whyOf(problem: Problem): string {
  if (problem.status === 0) return t("problem.unreachable");
  return problem.body.errors?.map(({ message }) => message).join(" ") || problem.message;
}
