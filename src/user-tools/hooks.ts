/**
 * How modules of tools find each other and us. `zaguan/tools` is this very program, whether or not it is installed where
 * they are; what they import from beside them is loaded anew with them, and is always an ES module: the `package.json` that
 * happens to lie above, or not to, makes no difference.
 */
import { type ResolveFnOutput, type ResolveHookContext, registerHooks } from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Loading, loadingOf, numbered } from "./registrar.ts";

const NAME = "zaguan/tools";
/** Beside this file, in a checkout as in the package. */
const ENTRY = new URL(`./index${extname(import.meta.url)}`, import.meta.url).href;
const OURSELVES = new URL("../", import.meta.url).href;
const FORMATS: Readonly<Record<string, string>> = {
  ".ts": "module-typescript",
  ".mts": "module-typescript",
  ".js": "module",
  ".mjs": "module",
};

type Next = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

let isInstalled = false;

/** For good: a module that was loaded once may import more at any time. */
export function installHooks(): void {
  if (isInstalled) return;
  isInstalled = true;
  registerHooks({ resolve });
}

function resolve(specifier: string, context: ResolveHookContext, next: Next): ResolveFnOutput {
  const { parentURL: importer = "", conditions } = context;
  const loading = loadingOf(importer) ?? loadingOf(specifier);
  if (specifier === NAME) return { url: loading ? numbered(ENTRY, loading) : ENTRY, shortCircuit: true };
  if (!loading || !conditions.includes("import")) return next(specifier, context);
  const found = find(specifier, context, next, loading);
  return belongsToModules(found.url) ? asPartOf(loading, found) : found;
}

function find(specifier: string, context: ResolveHookContext, next: Next, loading: Loading): ResolveFnOutput {
  try {
    return next(specifier, context);
  } catch (cause) {
    loading.onMissing(specifier, context.parentURL ?? "");
    throw cause;
  }
}

function asPartOf(loading: Loading, found: ResolveFnOutput): ResolveFnOutput {
  const path = fileURLToPath(found.url);
  loading.onFile(path);
  return { ...found, url: numbered(found.url, loading), format: FORMATS[extname(path)] ?? found.format };
}

/** Packages are shared, as are we. */
function belongsToModules(url: string): boolean {
  return url.startsWith("file:") && !url.includes("/node_modules/") && !url.startsWith(OURSELVES);
}
