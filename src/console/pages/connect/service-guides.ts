/** Clients that run on a server, often in a container and on another machine. */
import { n8nNodes, urlOf } from "./entries.ts";
import { fields, type Guide, heading, json, note, type Part, snippet, text, variable } from "./guide.ts";
import { addressesOf, clientName, isLoopback, type Place } from "./place.ts";

export const n8n: Guide = (place) => [
  text("connect.n8n.node"),
  fields("connect.enter", ["Endpoint", urlOf(place)], ["Server Transport", "HTTP Streamable"], ...n8nKey(place)),
  text("connect.n8n.paste"),
  json("connect.n8n.nodes", n8nNodes(place)),
  ...inContainer(place),
];

function n8nKey({ key }: Place): readonly (readonly [string, string])[] {
  if (key === undefined) return [["Authentication", "None"]];
  return [
    ["Authentication", "Bearer Auth"],
    ["Bearer Token", key],
  ];
}

export const openWebUi: Guide = (place) => [
  text("connect.openWebUi.where"),
  heading("connect.openWebUi.openApi"),
  text(`connect.openWebUi.openApi.${place.target.kind}`),
  fields(
    "connect.enter",
    ["Type", "OpenAPI"],
    ["URL", place.base.replace(/\/$/, "")],
    ["OpenAPI Spec", "openapi/tools.json"],
    ...authOf(place),
    ["ID", clientName(place.target)],
    ["Name", clientName(place.target)],
  ),
  heading("connect.openWebUi.mcp"),
  fields(
    "connect.enter",
    ["Type", "MCP (Streamable HTTP)"],
    ["URL", urlOf(place)],
    ...authOf(place),
    ["ID", clientName(place.target)],
    ["Name", clientName(place.target)],
  ),
  note("connect.openWebUi.users"),
  ...inContainer(place),
];

function authOf({ key }: Place): readonly (readonly [string, string])[] {
  if (key === undefined) return [["Auth", "None"]];
  return [
    ["Auth", "Bearer"],
    ["API Key", key],
  ];
}

/** Its integration has no field for a key. */
export const homeAssistant: Guide = (place) => [
  heading("connect.homeAssistant.to"),
  text("connect.homeAssistant.where"),
  fields("connect.enter", ["URL", addressesOf(place.base, place.target).sse]),
  ...(place.key === undefined ? [note("connect.homeAssistant.noKey")] : behindProxy(place)),
  ...inContainer(place),
  heading("connect.homeAssistant.from"),
  text("connect.homeAssistant.attach"),
  json("connect.zaguanFile", {
    homeAssistant: { url: "http://homeassistant.local:8123", token: variable("HASS_TOKEN") },
  }),
  text("connect.homeAssistant.token"),
];

const PROXY = "http://127.0.0.1:8099/";

/** A proxy beside Home Assistant adds the key. */
function behindProxy(place: Place): readonly Part[] {
  return [
    note("connect.homeAssistant.proxy"),
    snippet("connect.homeAssistant.nginx", nginx(place)),
    fields("connect.homeAssistant.then", ["URL", addressesOf(PROXY, place.target).sse]),
  ];
}

function nginx({ base, key = "" }: Place): string {
  return [
    "server {",
    `  listen ${new URL(PROXY).host};`,
    "  location / {",
    `    proxy_pass ${base};`,
    `    proxy_set_header Authorization "Bearer ${key}";`,
    "    proxy_http_version 1.1;",
    "    proxy_buffering off;",
    "    proxy_read_timeout 1h;",
    "  }",
    "}",
  ].join("\n");
}

function inContainer({ base }: Place): readonly Part[] {
  if (!isLoopback(base)) return [];
  const host = `host.docker.internal:${new URL(base).port || "80"}`;
  return [note("connect.container", { host })];
}
