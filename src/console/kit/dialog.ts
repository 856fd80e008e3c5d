/** Windows in front of the page: the browser's own, with its focus, its Escape key and its backdrop; and forms in them. */
import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type Problem, toProblem } from "./api.ts";
import { type Children, html } from "./html.ts";
import { t } from "./words.ts";

export function Dialog(props: {
  title: string;
  close: () => void;
  wide?: boolean | undefined;
  children?: Children;
}): VNode {
  const { title, close, wide, children } = props;
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    element.current?.showModal();
    // The first field takes the focus, where there is one, and not the button that closes.
    element.current?.querySelector<HTMLElement>(".dialog-body :is(input, select, textarea)")?.focus();
    // The focus goes back to where it was, also when the dialog is removed without being closed.
    return () => before?.focus();
  }, []);
  return html`<dialog ref=${element} class="dialog" data-wide=${wide === true} aria-labelledby=${id} onClose=${close}>
    <header>
      <h2 id=${id}>${title}</h2>
      <button type="button" class="button quiet" aria-label=${t("dialog.close")} onClick=${() => element.current?.close()}>✕</button>
    </header>
    <div class="dialog-body">${children}</div>
  </dialog>`;
}

/** Asks before something that cannot be taken back. */
export function Confirm(props: {
  title: string;
  text: string;
  action: string;
  confirm: () => void;
  close: () => void;
}): VNode {
  const { title, text, action, confirm, close } = props;
  return html`<${Dialog} title=${title} close=${close}>
    <p>${text}</p>
    <div class="actions">
      <button type="button" class="button" onClick=${close}>${t("dialog.cancel")}</button>
      <button type="button" class="button danger" onClick=${confirm}>${action}</button>
    </div>
  </${Dialog}>`;
}

interface Submission {
  readonly problem: Problem | undefined;
  readonly busy: boolean;
  submit(event: Event): Promise<void>;
}

/** What a form in a dialog does when it is sent: its work, once at a time; what goes wrong is for the form to show. */
export function useSubmit<Made>(work: () => Promise<Made>, done: (made: Made) => void): Submission {
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    await work().then(done, (cause) => setProblem(toProblem(cause)));
    setBusy(false);
  };
  return { problem, busy, submit };
}

/** The buttons below such a form. */
export function FormActions(props: { close: () => void; busy: boolean; disabled?: boolean; action: string }): VNode {
  const { close, busy, disabled, action } = props;
  return html`<div class="actions">
    <button type="button" class="button" onClick=${close}>${t("dialog.cancel")}</button>
    <button class="button primary" disabled=${disabled} aria-disabled=${busy} aria-busy=${busy}>${action}</button>
  </div>`;
}
