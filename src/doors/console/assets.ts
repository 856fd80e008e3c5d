/**
 * The files of the page. In a checkout they are TypeScript, as everything else: each is stripped of its types when it is
 * first asked for, so that there is no build, and anew when it was edited. In the published package they are JavaScript.
 */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

export interface Asset {
  readonly tag: string;
  readonly type: string;
  readonly plain: Buffer;
  /** By gzip. */
  readonly packed: Buffer;
}

/** The extension of this file, `.ts` in a checkout and `.js` in the package: the page's files have the same. */
export const EXTENSION: string = extname(fileURLToPath(import.meta.url));

const HERE = new URL("../../console/", import.meta.url);
/** What the page shares with the hub, and imports by the same path as everybody here. */
const SHARED: readonly string[] = ["rules", "client", "generated"].map((name) => `../contract/${name}${EXTENSION}`);
/** The only form of names that our files have; no other path is looked up. */
const POSSIBLE = /^(?:[a-z0-9-]+\/){0,2}[a-z0-9-]+\.(?:ts|js|mjs|css|svg)$/;

/** Modules are always UTF-8. */
const JAVASCRIPT = "text/javascript";
const TYPES: Readonly<Record<string, string>> = {
  ".ts": JAVASCRIPT,
  ".js": JAVASCRIPT,
  ".mjs": JAVASCRIPT,
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Libraries: where they are in a checkout. The published package has them in its own folder `vendor`. */
const VENDOR: Readonly<Record<string, string>> = {
  "vendor/htm.mjs": "htm/dist/htm.mjs",
  "vendor/preact.mjs": "preact/dist/preact.mjs",
  "vendor/hooks.mjs": "preact/hooks/dist/hooks.mjs",
  "vendor/uplot.mjs": "uplot/dist/uPlot.iife.min.js",
  "vendor/uplot.css": "uplot/dist/uPlot.min.css",
};

const kept = new Map<string, { readonly changed: number; readonly asset: Promise<Asset> }>();

/** Undefined where there is no such file. */
export async function assetAt(path: string): Promise<Asset | undefined> {
  if (!POSSIBLE.test(path) && !SHARED.includes(path)) return undefined;
  for (const file of placesOf(path)) {
    const changed = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (changed === undefined) continue;
    const known = kept.get(path);
    if (known?.changed === changed) return known.asset;
    const asset = load(file, path);
    kept.set(path, { changed, asset });
    // What could not be read now may be the next time.
    asset.catch(() => kept.delete(path));
    return asset;
  }
  return undefined;
}

/** A strong tag: it changes with the content, and with nothing else. */
export async function assetOf(text: string, type: string): Promise<Asset> {
  const { gzip } = await import("node:zlib");
  const plain = Buffer.from(text);
  const tag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  return { tag, type, plain, packed: await promisify(gzip)(plain) };
}

async function load(file: URL, path: string): Promise<Asset> {
  const extension = extname(path);
  const text = await readFile(file, "utf8");
  const isOurs = !path.startsWith("vendor/");
  const served = extension === ".ts" ? await stripped(text) : path === "vendor/uplot.mjs" ? asModule(text) : text;
  return assetOf(isOurs ? withoutRemarks(served) : served, TYPES[extension] ?? "application/octet-stream");
}

/** Without comments that begin a line, which are a quarter of the size. */
function withoutRemarks(text: string): string {
  return text.replace(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n/gm, "");
}

/** uPlot is minified only as a script for `<script>`; this makes a module of it. */
function asModule(text: string): string {
  return `${text}\nexport default uPlot;\n`;
}

function placesOf(path: string): URL[] {
  const installed = Object.hasOwn(VENDOR, path) ? VENDOR[path] : undefined;
  const own = new URL(path, HERE);
  return installed === undefined ? [own] : [own, ...found(installed)];
}

/** Looks in the package's folder itself, whatever its `exports` allow. */
function found(path: string): URL[] {
  const [name = "", ...rest] = path.split("/");
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const file = new URL(`${name}/${rest.join("/")}`, pathToFileURL(`${folder}/`));
    if (existing(file)) return [file];
  }
  return [];
}

function existing(file: URL): boolean {
  return process.getBuiltinModule("node:fs").existsSync(file);
}

/** Without the warning that this function of Node is experimental: Node uses it for every file that we run. */
async function stripped(text: string): Promise<string> {
  const { stripTypeScriptTypes } = await import("node:module");
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
