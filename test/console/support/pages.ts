/** The pages of the console, as the menu names them. */
export interface PageName {
  /** Behind `#/`. */
  readonly name: string;
  readonly title: string;
}

export const PAGES: readonly PageName[] = [
  { name: "house", title: "House" },
  { name: "servers", title: "Servers" },
  { name: "tools", title: "Tools" },
  { name: "agents", title: "Agents and keys" },
  { name: "calls", title: "Calls" },
  { name: "figures", title: "Metrics" },
  { name: "connect", title: "Connect" },
];
