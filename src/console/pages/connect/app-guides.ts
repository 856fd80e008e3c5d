/** Clients that run on somebody's desk. */
import { quoted } from "../../kit/copy.ts";
import {
  claudeCommand,
  cursorLink,
  httpEntry,
  lmStudioLink,
  remoteEntry,
  stdioEntry,
  vsCodeFile,
  vsCodeLink,
  vsCodeServer,
} from "./entries.ts";
import { fields, type Guide, heading, json, link, note, snippet, text } from "./guide.ts";
import { clientName } from "./place.ts";

/** It starts its servers itself and knows no address, so that something stands between. */
export const claudeDesktop: Guide = (place) => [
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

export const claudeCode: Guide = (place) => [
  text("connect.claudeCode.run"),
  snippet("connect.command", claudeCommand(place)),
  text("connect.claudeCode.scope"),
  snippet("connect.check", "claude mcp list"),
];

export const cursor: Guide = (place) => [
  link("connect.cursor.open", cursorLink(place)),
  text("connect.cursor.or"),
  json("connect.file", { mcpServers: { [clientName(place.target)]: httpEntry(place) } }),
];

export const vsCode: Guide = (place) => [
  link("connect.vscode.open", vsCodeLink(place)),
  text("connect.vscode.or"),
  json("connect.file", vsCodeFile(place)),
  ...(place.key === undefined ? [] : [text("connect.vscode.asks")]),
  text("connect.vscode.command"),
  snippet("connect.command", `code --add-mcp ${quoted(vsCodeServer(place))}`),
];

export const lmStudio: Guide = (place) => [
  link("connect.lmstudio.open", lmStudioLink(place)),
  text("connect.lmstudio.or"),
  json("connect.file", { mcpServers: { [clientName(place.target)]: httpEntry(place) } }),
  text("connect.lmstudio.version"),
];
