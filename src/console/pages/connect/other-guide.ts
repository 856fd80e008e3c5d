/** Every door by its plain address, for whatever speaks one of the languages. */

import { httpEntry } from "./entries.ts";
import { fields, type Guide, json, type Part, snippet, text } from "./guide.ts";
import { addressesOf, clientName, type Place } from "./place.ts";
import { curlCommand, stdioCommand } from "./shell.ts";
import { deviceAddress } from "./xiaozhi-guide.ts";

export const anyOther: Guide = (place) => [
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
