/** The pages of the console, one line each. A page is loaded when it is first opened. */
import type { ComponentType } from "preact";
import type { ConsoleKey } from "../messages/en/console.ts";
import type { IconName } from "./kit/icon.ts";

export interface PageEntry {
  /** Of its icon too. */
  readonly name: IconName;
  readonly title: ConsoleKey;
  /** True where it is of use only in a cluster: otherwise the menu does not have it. */
  readonly isOfCluster?: boolean;
  load(): Promise<ComponentType>;
}

export const PAGES: readonly PageEntry[] = [
  { name: "house", title: "nav.house", load: async () => (await import("./pages/house/index.ts")).HousePage },
  { name: "servers", title: "nav.servers", load: async () => (await import("./pages/servers/index.ts")).ServersPage },
  { name: "tools", title: "nav.tools", load: async () => (await import("./pages/tools/index.ts")).ToolsPage },
  { name: "agents", title: "nav.agents", load: async () => (await import("./pages/agents/index.ts")).AgentsPage },
  { name: "calls", title: "nav.calls", load: async () => (await import("./pages/calls/index.ts")).CallsPage },
  { name: "figures", title: "nav.figures", load: async () => (await import("./pages/figures/index.ts")).FiguresPage },
  {
    name: "nodes",
    title: "nav.nodes",
    isOfCluster: true,
    load: async () => (await import("./pages/nodes/index.ts")).NodesPage,
  },
  { name: "connect", title: "nav.connect", load: async () => (await import("./pages/connect/index.ts")).ConnectPage },
];
