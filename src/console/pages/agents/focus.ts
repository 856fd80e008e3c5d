/** Where the focus goes when what had it is gone. */

/** After the page has been drawn anew: as long as a window stands in front of it, nothing behind can be focused. */
export function focusOn(id: string): void {
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.focus()));
}
