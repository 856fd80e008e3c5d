/** A window in front of the page: the browser's own, with its focus, its Escape key and its backdrop. */
import type { VNode } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
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
    // Where there is something to fill in, that comes first, and not the way out.
    element.current?.querySelector<HTMLElement>(".dialog-body :is(input, select, textarea)")?.focus();
    // Whoever takes it away without closing it would leave the focus nowhere.
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
