/**
 * `GET /`: the console, a page that uses the same API as everybody. Its files come from our own port and nothing else is
 * ever asked for; they are open to everybody, since they tell what every Zaguan looks like and nothing of this house.
 */
import { createHash } from "node:crypto";
import { isLanguage, type Language } from "../../messages/catalogue.ts";
import { TRANSLATIONS } from "../../messages/translations.ts";
import type { DoorFactory, Exchange } from "../door.ts";
import { notFound } from "../http/routes.ts";
import { hasTag } from "../rest/etag.ts";
import { type Asset, assetAt, assetOf, EXTENSION } from "./assets.ts";

export const consolePage: DoorFactory = () => ({
  name: "console",
  routes: [
    { method: "GET", path: "/", needs: "nobody", handle: showPage },
    // One route for each depth of folders that there is.
    ...["{a}", "{a}/{b}", "{a}/{b}/{c}"].map((path) => {
      return { method: "GET", path: `/console/${path}`, needs: "nobody", handle: showFile } as const;
    }),
    { method: "GET", path: "/contract/{file}", needs: "nobody", handle: showShared },
  ],
});

function showPage(exchange: Exchange): void {
  exchange.reply(200, pageOf(exchange.language), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": PAGE_POLICY,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    vary: "accept-language",
  });
}

async function showFile(exchange: Exchange): Promise<void> {
  const { a, b, c } = exchange.names;
  const path = [a, b, c].filter((part) => part !== undefined).join("/");
  const asset = path.startsWith("words/") ? await wordsAt(path) : await assetAt(path);
  send(exchange, asset, `/console/${path}`);
}

async function showShared(exchange: Exchange): Promise<void> {
  const path = `/contract/${exchange.names["file"]}`;
  send(exchange, await assetAt(`..${path}`), path);
}

const words = new Map<Language, Promise<Asset>>();

/** The page's texts in one language as one file; loaded by the first who opens the page in it. */
async function wordsAt(path: string): Promise<Asset | undefined> {
  const language = path.slice("words/".length).replace(/\.json$/, "");
  if (!isLanguage(language)) return undefined;
  const known = words.get(language) ?? wordsIn(language);
  words.set(language, known);
  return known;
}

async function wordsIn(language: Language): Promise<Asset> {
  return assetOf(JSON.stringify(await TRANSLATIONS[language].console()), "application/json");
}

/** A browser keeps its copy for as long as the tag is the same; one that takes gzip gets the file compressed. */
function send(exchange: Exchange, asset: Asset | undefined, path: string): void {
  if (!asset) throw notFound(path);
  const { tag, type, plain, packed } = asset;
  const { request, response } = exchange;
  const isPacked = takesGzip(exchange.header("accept-encoding") ?? "");
  const body = isPacked ? packed : plain;
  const isKnown = hasTag(exchange.header("if-none-match"), tag);
  const own = { "content-type": type, "content-length": body.length, ...(isPacked && { "content-encoding": "gzip" }) };
  response.writeHead(isKnown ? 304 : 200, {
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    etag: tag,
    vary: "accept-encoding",
    ...(!isKnown && own),
  });
  exchange.end(isKnown || request.method === "HEAD" ? undefined : body);
}

/** A weight of 0 says that the client does not take it. */
function takesGzip(accepted: string): boolean {
  const [, weight = "1"] = /(?:^|,)\s*gzip\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?(?:,|$)/i.exec(accepted) ?? ["", "0"];
  return Number(weight) > 0;
}

const IMPORTS = JSON.stringify({
  imports: {
    htm: "./console/vendor/htm.mjs",
    preact: "./console/vendor/preact.mjs",
    "preact/hooks": "./console/vendor/hooks.mjs",
    uplot: "./console/vendor/uplot.mjs",
  },
});

/** Everything from this port, no inline script but the import map; images and sounds also as data from tools. */
const PAGE_POLICY: string = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash("sha256").update(IMPORTS).digest("base64")}'`,
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
].join("; ");

/** What the page lets people choose from, each language by its own name. */
const NAMES = JSON.stringify(
  Object.fromEntries(Object.entries(TRANSLATIONS).map(([language, { name }]) => [language, name])),
)
  .replaceAll("&", "&amp;")
  .replaceAll('"', "&quot;");

/** An empty frame, and where its parts are. Addresses are relative: they hold behind a proxy's path. */
function pageOf(language: Language): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="languages" content="${NAMES}">
<title>Zaguan</title>
<link rel="icon" type="image/svg+xml" href="console/icon.svg">
<link rel="stylesheet" href="console/styles/base.css">
<script type="importmap">${IMPORTS}</script>
<script type="module" async blocking="render" src="console/early${EXTENSION}"></script>
<script type="module" src="console/main${EXTENSION}"></script>
</head>
<body>
<div id="console"></div>
<noscript><p>Zaguan: <a href="docs">/docs</a> · <a href="health">/health</a></p></noscript>
</body>
</html>
`;
}
