/** Makes a key that may do just what is being connected. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { MadeKey } from "../../../contract/key.ts";
import { rest } from "../../kit/api.ts";
import { Dialog } from "../../kit/dialog.ts";
import { html } from "../../kit/html.ts";
import { Field, ProblemBox } from "../../kit/parts.ts";
import { type Problem, toProblem } from "../../kit/problem.ts";
import { t } from "../../kit/words.ts";
import type { Target } from "./place.ts";

interface Props {
  readonly target: Target;
  /** The client for which it is, as people know it. */
  readonly client: string;
  readonly close: () => void;
  readonly made: (key: string) => void;
}

export function MakeKey({ target, client, close, made }: Props): VNode {
  const [name, setName] = useState(target.kind === "hub" ? client : `${client}: ${target.name}`.slice(0, 64));
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    await make(target, name.trim()).then(
      ({ key }) => {
        close();
        made(key);
      },
      (cause) => setProblem(toProblem(cause)),
    );
    setBusy(false);
  };
  return html`<${Dialog} title=${t("connect.key.make")} close=${close}>
    <form onSubmit=${submit}>
      <p>${t(`connect.key.for.${target.kind}`, { name: target.name })}</p>
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      ${target.kind !== "agent" && html`<${Name} value=${name} set=${setName} />`}
      <div class="actions">
        <button type="button" class="button" onClick=${close}>${t("dialog.cancel")}</button>
        <button class="button primary" aria-disabled=${busy} aria-busy=${busy}>${t("connect.key.make")}</button>
      </div>
    </form>
  </${Dialog}>`;
}

function Name({ value, set }: { value: string; set: (name: string) => void }): VNode {
  return html`<${Field} id="connect-key-name" label=${t("connect.key.name")} help=${t("connect.key.nameHelp")}>
    <input id="connect-key-name" required maxlength="64" autocomplete="off" aria-describedby="connect-key-name-help" value=${value} onInput=${(event: Event) => set((event.target as HTMLInputElement).value)} />
  </${Field}>`;
}

/** An agent has one key, its own; of others there may be many. */
function make({ kind, name: of }: Target, name: string): Promise<Pick<MadeKey, "key" | "hint">> {
  if (kind === "agent") return rest.createAgentKey({ id: of });
  return rest.createKey({ body: { name, ...(kind === "server" && { allow: [`${of}__*`] }) } });
}
