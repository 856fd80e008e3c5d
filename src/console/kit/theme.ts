/** Light, dark, or as the system is. */
import { Store } from "./store.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEPT = "zaguan.theme";

export const theme: Store<Theme> = new Store(keptTheme());

export function applyTheme(wanted: Theme): void {
  if (wanted === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = wanted;
}

export function chooseTheme(wanted: Theme): void {
  localStorage.setItem(KEPT, wanted);
  applyTheme(wanted);
  theme.set(wanted);
}

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return THEMES.find((known) => known === kept) ?? "system";
}
