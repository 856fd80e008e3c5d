/** The signs of the navigation, drawn: no font can be relied upon to have them. Decoration only, so nobody hears them. */
import type { VNode } from "preact";
import { html } from "./html.ts";

const PATHS = {
  house: "M3 11 12 3l9 8v9a1 1 0 0 1-1 1h-5v-6H9v6H4a1 1 0 0 1-1-1z",
  servers: "M4 4h16v6H4zM4 14h16v6H4zM7.5 7h.01M7.5 17h.01",
  tools: "M14 7a4 4 0 0 1 5-3.9L16.5 5.6l2 2L21 5a4 4 0 0 1-5.3 4.9L8.5 17a2.1 2.1 0 1 1-3-3l7.1-7.1z",
  agents: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0",
  calls: "M4 8h13m-4-4 4 4-4 4M20 16H7m4-4-4 4 4 4",
  nodes:
    "M12 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM5 22a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM19 22a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM10.5 7.6 6.5 16.4M13.5 7.6l4 8.8M8 19h8",
  figures: "M4 20V4m0 16h16M8 16l4-5 3 3 5-7",
  connect: "M9 7V3m6 4V3M7 7h10v4a5 5 0 0 1-10 0zM12 16v5",
} as const;

export type IconName = keyof typeof PATHS;

/** One of ours, or a path that the hub told. */
export function Icon({ name, path }: { name: IconName; path?: undefined } | { name?: undefined; path: string }): VNode {
  return html`<svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
    <path d=${path ?? PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
  </svg>`;
}
