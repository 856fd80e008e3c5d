/** `GET /`: a plain page that names the doors and how to connect, until the console takes its place. No script. */
import { LANGUAGES, type Language, say } from "../messages/catalogue.ts";
import type { DoorFactory, Exchange, HubStatus } from "./door.ts";

export const page: DoorFactory = (context) => ({
  name: "page",
  routes: [{ method: "GET", path: "/", public: true, handle: (exchange) => show(exchange, context.status()) }],
});

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

function show(exchange: Exchange, status: HubStatus): void {
  const base = `http://${exchange.header("host")}`;
  exchange.reply(200, render(exchange.language, base, status), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    vary: "accept-language",
  });
}

function render(language: Language, base: string, status: HubStatus): string {
  const t = (key: Parameters<typeof say>[1], params = {}) => escaped(say(language, key, params));
  const lamp = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_light_state","arguments":{"name":"salon","on":true}}}`;
  const client = JSON.stringify({ mcpServers: { zaguan: { url: `${base}/mcp` } } }, undefined, 2);
  const tools = status.sources.reduce((sum, source) => sum + source.tools, 0);
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Zaguan</title><style>${STYLE}</style></head>
<body><main>
<h1>Zaguan <small>${escaped(status.version)}</small></h1>
<p>${t("page.what")}</p>
<p>${t("page.running", { sources: status.sources.length, tools })}</p>
<h2>${t("page.doors")}</h2>
<table>
<tr><th>MCP</th><td><code>${escaped(base)}/mcp</code></td><td>${t("page.doorMcp")}</td></tr>
<tr><th>${t("page.oneServerName")}</th><td><code>${escaped(base)}/servers/{name}/mcp</code></td><td>${t("page.doorOneServer")}</td></tr>
<tr><th>JSON-RPC</th><td><code>POST ${escaped(base)}/mcp</code></td><td>${t("page.doorBare")}</td></tr>
<tr><th>WebSocket</th><td><code>${escaped(base.replace("http", "ws"))}/mcp</code></td><td>${t("page.doorWebSocket")}</td></tr>
<tr><th>${t("page.devicesName")}</th><td><code>${escaped(base.replace("http", "ws"))}/xiaozhi/v1/</code></td><td>${t("page.doorDevices")}</td></tr>
<tr><th>HTTP+SSE</th><td><code>${escaped(base)}/sse</code></td><td>${t("page.doorSse")}</td></tr>
<tr><th>${t("page.bridgeName")}</th><td><code>POST ${escaped(base)}/mcp/initialize</code></td><td>${t("page.doorBridge")}</td></tr>
<tr><th>${t("page.apiToolsName")}</th><td><code>GET ${escaped(base)}/api/tools/discover</code>, <code>POST /api/tools/execute</code></td><td>${t("page.doorApiTools")}</td></tr>
<tr><th>OpenAPI</th><td><code>GET ${escaped(base)}/openapi/tools.json</code></td><td>${t("page.doorOpenApiTools")}</td></tr>
<tr><th>${t("page.adminName")}</th><td><code>${escaped(base)}/admin/tools/api</code>, <code>/admin/apis</code>, <code>/docs</code></td><td>${t("page.doorAdmin")}</td></tr>
<tr><th>stdio</th><td><code>zaguan stdio</code></td><td>${t("page.doorStdio")}</td></tr>
<tr><th>${t("page.lineName")}</th><td><code>zaguan stdio --line</code></td><td>${t("page.doorLine")}</td></tr>
<tr><th>${t("page.healthName")}</th><td><code>GET ${escaped(base)}/health</code></td><td>${t("page.doorHealth")}</td></tr>
<tr><th>${t("page.statusName")}</th><td><code>GET ${escaped(base)}/mcp/status</code>, <code>/metrics</code></td><td>${t("page.doorStatus")}</td></tr>
</table>
<h2>${t("page.connect")}</h2>
<p>${t("page.paste")}</p>
<pre>${escaped(client)}</pre>
<p>${t("page.try")}</p>
<pre>curl ${escaped(base)}/mcp -H 'content-type: application/json' -d '${escaped(lamp)}'</pre>
<p>${t("page.languages")} ${LANGUAGES.join(" · ")}</p>
</main></body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{margin:0;padding:2rem 1rem}
main{max-width:56rem;margin:auto}h1 small{font-weight:400;opacity:.6;font-size:1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .8rem .4rem 0;border-bottom:1px solid #8884;vertical-align:top}
pre{background:#8881;padding:.8rem;border-radius:.4rem;overflow-x:auto}code,pre{font-family:ui-monospace,monospace;font-size:.9rem}`;
