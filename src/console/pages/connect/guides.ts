/** The clients that there are guides for, in the order in which they are shown; with the guides for voice boxes and for any other client. */
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { claudeCode, claudeDesktop, cursor, lmStudio, vsCode } from "./app-guides.ts";
import { curlCommand, httpEntry, stdioCommand } from "./entries.ts";
import { fields, type Guide, heading, json, note, type Part, snippet, text, variable } from "./guide.ts";
import { addressesOf, clientName, type Place } from "./place.ts";
import { homeAssistant, n8n, openWebUi } from "./service-guides.ts";

/** Every door by its plain address, for whatever speaks one of the languages. */
const anyOther: Guide = (place) => [
  text("connect.other.text"),
  json("connect.other.common", { mcpServers: { [clientName(place.target)]: httpEntry(place) } }),
  doors(place),
  ...(place.target.kind === "agent" ? [text("connect.other.agent")] : []),
  ...(place.key === undefined ? [] : [text("connect.other.key")]),
  text("connect.other.curl"),
  snippet("connect.other.list", curlCommand(place, "tools/list", {})),
  snippet("connect.other.call", curlCommand(place, "tools/call", { name: "TOOL", arguments: {} })),
];

function doors(place: Place): Part {
  const { mcp, sse, socket } = addressesOf(place.base, place.target);
  return fields(
    "connect.other.doors",
    ["MCP, Streamable HTTP", mcp],
    ["JSON-RPC (POST)", mcp],
    ["WebSocket", socket],
    ["HTTP+SSE (2024-11-05)", sse],
    ["stdio", stdioCommand(place)],
    ...(place.target.kind === "hub" ? hubDoors(place) : []),
  );
}

/** What there is only once. */
function hubDoors(place: Place): readonly (readonly [string, string])[] {
  const { base } = place;
  return [
    ["REST bridge", `${base}mcp/initialize`],
    ["OpenAPI tools", `${base}openapi/tools.json`],
    ["HandsAI", `${base}api/tools/discover`],
    ["xiaozhi", deviceAddress(place)],
    ["line JSON", "zaguan stdio --line"],
    ["API", `${base}docs`],
  ];
}

/** Voice boxes of the xiaozhi family: those that dial in, and voice clouds that are dialled. */
const xiaozhi: Guide = (place) => [
  heading("connect.xiaozhi.in"),
  text("connect.xiaozhi.inText"),
  fields(
    "connect.xiaozhi.pyXiaozhi",
    ["WEBSOCKET_URL", deviceAddress(place)],
    ["WEBSOCKET_ACCESS_TOKEN", place.key ?? "–"],
  ),
  text("connect.xiaozhi.firmware"),
  ...(place.target.kind === "hub" ? [] : [note("connect.xiaozhi.limited")]),
  heading("connect.xiaozhi.out"),
  text("connect.xiaozhi.outText"),
  json("connect.zaguanFile", dialled(place)),
  text(place.target.kind === "agent" ? "connect.xiaozhi.asAgent" : "connect.xiaozhi.asHub"),
];

/** Boxes have one address, whatever they may use there. */
function deviceAddress({ base }: Place): string {
  return `${base.replace(/^http/, "ws")}xiaozhi/v1/`;
}

function dialled({ target: { kind, name } }: Place): object {
  const url = `wss://api.xiaozhi.me/mcp/?token=${variable("XIAOZHI_TOKEN")}`;
  return { xiaozhi: { endpoints: [{ url, ...(kind === "agent" && { agent: name }) }] } };
}

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
