/** One entity of a home: switched where it can be, read otherwise. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { EntityView } from "../../../doors/live/views.ts";
import { dateTime, number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import type { Problem } from "../../kit/problem.ts";
import { useStore } from "../../kit/store.ts";
import { language, t } from "../../kit/words.ts";
import { setEntity } from "./act.ts";
import { isSwitchable, readingOf } from "./entities.ts";
import { Toggle } from "./toggle.ts";

interface EntityRowProps {
  readonly home: string;
  readonly entity: EntityView;
  readonly isAway: boolean;
}

/** Drawn anew only when this very entity changed. */
export function EntityRow({ home, entity, isAway }: EntityRowProps): VNode {
  const [problem, report] = useState<Problem>();
  const spoken = useStore(language);
  return useMemo(() => {
    const words = { on: t("house.state.on"), off: t("house.state.off") };
    const turn = (on: boolean): Promise<void> => setEntity(home, entity.id, on);
    return html`<li class="house-entity">
      <span class="name">${entity.name}</span>
      ${
        isSwitchable(entity)
          ? html`<${Toggle} label=${entity.name} isOn=${entity.state === "on"} turn=${turn} report=${report} words=${words} disabled=${isAway} />`
          : html`<span class="value">${said(entity)}</span>`
      }
      ${problem && html`<p class="problem" role="alert">${problem.status === 0 ? t("problem.unreachable") : problem.message}</p>`}
    </li>`;
  }, [home, entity, isAway, problem, spoken]);
}

function said(entity: EntityView): string {
  const reading = readingOf(entity);
  switch (reading.kind) {
    case "number":
      return [number(reading.value, reading.digits), reading.unit].filter(Boolean).join("\u00a0");
    case "moment":
      return dateTime(reading.utc);
    case "known":
      return t(`house.state.${reading.state}`);
    case "text":
      return reading.text;
  }
}
