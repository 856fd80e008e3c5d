/** The clients that there are guides for, in the order in which they are shown. */
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { claudeCode, claudeDesktop, cursor, lmStudio, vsCode } from "./app-guides.ts";
import type { Guide } from "./guide.ts";
import { anyOther } from "./other-guide.ts";
import { homeAssistant, n8n, openWebUi } from "./service-guides.ts";
import { xiaozhi } from "./xiaozhi-guide.ts";

export interface Client {
  /** As it stands in the page's address. */
  readonly id: string;
  readonly title: ConsoleKey;
  readonly guide: Guide;
}

export const CLIENTS: readonly Client[] = [
  { id: "claude-desktop", title: "connect.client.claudeDesktop", guide: claudeDesktop },
  { id: "claude-code", title: "connect.client.claudeCode", guide: claudeCode },
  { id: "cursor", title: "connect.client.cursor", guide: cursor },
  { id: "vscode", title: "connect.client.vscode", guide: vsCode },
  { id: "lm-studio", title: "connect.client.lmstudio", guide: lmStudio },
  { id: "n8n", title: "connect.client.n8n", guide: n8n },
  { id: "open-webui", title: "connect.client.openWebUi", guide: openWebUi },
  { id: "home-assistant", title: "connect.client.homeAssistant", guide: homeAssistant },
  { id: "xiaozhi", title: "connect.client.xiaozhi", guide: xiaozhi },
  { id: "other", title: "connect.client.other", guide: anyOther },
];
