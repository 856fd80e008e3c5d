/** The page itself: an empty frame, and where its parts are. Addresses are relative: they hold behind a proxy's path. */
import { createHash } from "node:crypto";
import type { Language } from "../../messages/catalogue.ts";
import { TRANSLATIONS } from "../../messages/translations.ts";
import { EXTENSION } from "./assets.ts";

const IMPORTS = JSON.stringify({
  imports: {
    htm: "./console/vendor/htm.mjs",
    preact: "./console/vendor/preact.mjs",
    "preact/hooks": "./console/vendor/hooks.mjs",
    uplot: "./console/vendor/uplot.mjs",
  },
});

/** Everything from here, nothing in line but the map of imports; pictures and sounds also as the tools sent them. */
export const PAGE_POLICY: string = [
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

export function pageOf(language: Language): string {
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
