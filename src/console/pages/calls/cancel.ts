/** Ends a call that should not go on: its caller and its server are told. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { CallRow } from "../../../doors/live/views.ts";
import { rest } from "../../kit/api.ts";
import { html } from "../../kit/html.ts";
import { type Problem, toProblem } from "../../kit/problem.ts";
import { toast } from "../../kit/toast.ts";
import { t } from "../../kit/words.ts";

const ALREADY_ENDED = 409;

export function CancelButton(props: {
  call: Pick<CallRow, "id" | "tool">;
  done?: (() => void) | undefined;
  class?: string | undefined;
  tabindex?: number | undefined;
}): VNode {
  const { id, tool } = props.call;
  const [busy, setBusy] = useState(false);
  const cancel = async (): Promise<void> => {
    setBusy(true);
    try {
      await rest.cancelCall({ id });
      toast(t("calls.cancel.done", { id, tool }));
    } catch (cause) {
      sayWhy(toProblem(cause), id);
    }
    setBusy(false);
    props.done?.();
  };
  return html`<button
    type="button"
    class=${props.class ?? "button danger"}
    tabindex=${props.tabindex}
    disabled=${busy}
    aria-busy=${busy}
    aria-label=${t("calls.cancel.label", { id, tool })}
    onClick=${cancel}
  >${t("calls.cancel")}</button>`;
}

/** One that ended in the meantime is no failure: what was wanted is so. */
function sayWhy(problem: Problem, id: number): void {
  if (problem.status === ALREADY_ENDED) toast(t("calls.cancel.late", { id }));
  else toast(problem.message, "bad");
}
