/**
 * `GET /openapi.json`: the REST part, described; `GET /docs`: the same for people, by Swagger UI. Its files come from our
 * own port: from beside this file in the published package, from the development dependency in a checkout. Both are open
 * to everybody: they tell what every Zaguan can do, and nothing of this house.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { type Language, say } from "../messages/catalogue.ts";
import type { DoorContext, DoorFactory, Exchange } from "./door.ts";
import { notFound } from "./http/routes.ts";
import { addressOf } from "./rest/request-parts.ts";
import { describedOperations } from "./rest/route.ts";

export const docs: DoorFactory = docsFrom(() => [new URL("./docs/", import.meta.url), ...installedViewer()]);

/** `places` are folders where the viewer's files may be. */
export function docsFrom(places: () => readonly URL[]): DoorFactory {
  return (context) => {
    let description: Promise<object> | undefined;
    const show = async (exchange: Exchange) => {
      description ??= describe(context);
      const servers = [{ url: addressOf(exchange) }];
      exchange.reply(200, JSON.stringify({ ...(await description), servers }));
    };
    return {
      name: "docs",
      routes: [
        { method: "GET", path: "/openapi.json", needs: "nobody", handle: show },
        { method: "GET", path: "/docs", needs: "nobody", handle: (exchange) => showPage(exchange, places()) },
        { method: "GET", path: "/docs/{file}", needs: "nobody", handle: (exchange) => showFile(exchange, places()) },
      ],
    };
  };
}

const TYPES: Readonly<Record<string, string>> = {
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
  "start.js": "text/javascript; charset=utf-8",
};

/** No badge of a validator elsewhere, and no settings from the address bar. */
const START = `SwaggerUIBundle({ url: "openapi.json", dom_id: "#docs", deepLinking: true, validatorUrl: null });\n`;

/** The viewer's pictures are data; everything else is ours. */
const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
].join("; ");

/** All of this is loaded by the first who asks: a start must not wait for it. */
async function describe(context: DoorContext): Promise<object> {
  const operations = await describedOperations(context.gateway);
  const { openApi } = await import("./rest/openapi.ts");
  const { withHandWritten } = await import("./rest/hand-written.ts");
  return openApi(withHandWritten(operations), context.status().version);
}

async function showPage(exchange: Exchange, places: readonly URL[]): Promise<void> {
  const isInstalled = (await readFrom(places, "swagger-ui.css")) !== undefined;
  const body = isInstalled ? VIEWER : `<p>${missingText(exchange.language)}</p>`;
  exchange.reply(200, pageOf(body, exchange.language), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    vary: "accept-language",
  });
}

/** Addresses are relative: they hold behind a proxy that puts us under a path. */
const VIEWER = `<div id="docs"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>`;

function pageOf(body: string, language: Language): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Zaguan API</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body>
${body}
</body></html>
`;
}

function missingText(language: Language): string {
  return say(language, "page.docsMissing", { link: '<a href="openapi.json">/openapi.json</a>' });
}

async function showFile(exchange: Exchange, places: readonly URL[]): Promise<void> {
  const name = exchange.names["file"] ?? "";
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  const text = type && (name === "start.js" ? START : await readFrom(places, name));
  if (!type || text === undefined) throw notFound(`/docs/${name}`);
  exchange.reply(200, text, { "content-type": type });
}

/** `name` is one of the few above: never what a stranger wrote. */
async function readFrom(places: readonly URL[], name: string): Promise<string | undefined> {
  for (const place of places) {
    const text = await readFile(new URL(name, place), "utf8").catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

function installedViewer(): URL[] {
  try {
    return [pathToFileURL(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"))];
  } catch {
    return [];
  }
}
