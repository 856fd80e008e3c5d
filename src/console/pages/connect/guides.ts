/** The clients that there are guides for; with the guides for desktop apps, voice boxes and any other client. */
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { quoted } from "../../kit/copy.ts";
import {
  claudeCommand,
  curlCommand,
  cursorLink,
  httpEntry,
  lmStudioLink,
  remoteEntry,
  stdioCommand,
  stdioEntry,
  vsCodeFile,
  vsCodeLink,
  vsCodeServer,
} from "./entries.ts";
import { fields, type Guide, heading, json, link, note, type Part, snippet, text, variable } from "./guide.ts";
import { addressesOf, clientName, type Place } from "./place.ts";
import { homeAssistant, n8n, openWebUi } from "./service-guides.ts";

/** It starts its servers itself and knows no address, so that something stands between. */
const claudeDesktop: Guide = (place) => [
  text("connect.claudeDesktop.why"),
  heading("connect.claudeDesktop.remote"),
  text("connect.claudeDesktop.where"),
  fields(
    "connect.file",
    ["macOS", "~/Library/Application Support/Claude/claude_desktop_config.json"],
    ["Windows", "%APPDATA%\\Claude\\claude_desktop_config.json"],
  ),
  json("connect.claudeDesktop.file", { mcpServers: { [clientName(place.target)]: remoteEntry(place) } }),
  text("connect.claudeDesktop.node"),
  heading("connect.claudeDesktop.stdio"),
  text("connect.claudeDesktop.stdioWhy"),
  json("connect.claudeDesktop.stdioFile", { mcpServers: { [clientName(place.target)]: stdioEntry(place.target) } }),
  note("connect.claudeDesktop.connectors"),
];

const claudeCode: Guide = (place) => [
  text("connect.claudeCode.run"),
  snippet("connect.command", claudeCommand(place)),
  text("connect.claudeCode.scope"),
  snippet("connect.check", "claude mcp list"),
];

const cursor: Guide = (place) => [
  link("connect.cursor.open", cursorLink(place)),
  text("connect.cursor.or"),
  json("connect.file", { mcpServers: { [clientName(place.target)]: httpEntry(place) } }),
];

const vsCode: Guide = (place) => [
  link("connect.vscode.open", vsCodeLink(place)),
  text("connect.vscode.or"),
  json("connect.file", vsCodeFile(place)),
  ...(place.key === undefined ? [] : [text("connect.vscode.asks")]),
  text("connect.vscode.command"),
  snippet("connect.command", `code --add-mcp ${quoted(vsCodeServer(place))}`),
];

const lmStudio: Guide = (place) => [
  link("connect.lmstudio.open", lmStudioLink(place)),
  text("connect.lmstudio.or"),
  json("connect.file", { mcpServers: { [clientName(place.target)]: httpEntry(place) } }),
  text("connect.lmstudio.version"),
];

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

/** Addresses that only the whole hub has. */
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

/** In the order in which they are shown. */
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
