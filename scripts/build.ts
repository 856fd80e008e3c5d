/**
 * Builds `dist` for publishing: emptied, compiled by the project's own TypeScript, and free of tests. The viewer of
 * `/docs` and what the console's page is made of come along as files with their licences, so that nobody who installs the
 * package has to install them.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VIEWER_FILES = [
  "swagger-ui-bundle.js",
  "swagger-ui.css",
  "LICENSE",
  "NOTICE",
  "swagger-ui-bundle.js.LICENSE.txt",
];

/** By the names under which the page asks for them. */
const VENDOR_FILES: Readonly<Record<string, string>> = {
  "htm.mjs": "htm/dist/htm.mjs",
  "preact.mjs": "preact/dist/preact.mjs",
  "hooks.mjs": "preact/hooks/dist/hooks.mjs",
  "uplot.mjs": "uplot/dist/uPlot.iife.min.js",
  "uplot.css": "uplot/dist/uPlot.min.css",
};

rmSync(join(ROOT, "dist"), { recursive: true, force: true });
process.exitCode =
  compile("tsconfig.build.json") ||
  compile("src/console/tsconfig.build.json") ||
  refuseTests() ||
  copyViewer() ||
  copyConsole();

/** The compiler says itself what is wrong; its exit code becomes ours. */
function compile(project: string): number {
  const tsc = join(folderOf("typescript"), "bin", "tsc");
  const { status, error } = spawnSync(process.execPath, [tsc, "--project", project], {
    cwd: ROOT,
    stdio: "inherit",
  });
  if (error) throw error;
  return status ?? 1;
}

function refuseTests(): number {
  const tests = globSync("dist/**/*.test.*", { cwd: ROOT });
  for (const file of tests) console.error(`${file} is a test and must not be published`);
  return tests.length > 0 ? 1 : 0;
}

/** `src/doors/docs.ts` looks for them beside itself. */
function copyViewer(): number {
  for (const file of VIEWER_FILES) {
    cpSync(join(folderOf("swagger-ui-dist"), file), join(ROOT, "dist", "doors", "docs", file));
  }
  return 0;
}

/** `src/doors/console/assets.ts` looks for them there. */
function copyConsole(): number {
  const page = join(ROOT, "src", "console");
  for (const file of globSync("**/*.{css,svg}", { cwd: page }))
    cpSync(join(page, file), join(ROOT, "dist", "console", file));
  const vendor = join(ROOT, "dist", "console", "vendor");
  for (const [name, path] of Object.entries(VENDOR_FILES)) {
    const [owner = "", ...rest] = path.split("/");
    cpSync(join(ROOT, "node_modules", owner, ...rest), join(vendor, name));
    const licence = join(ROOT, "node_modules", owner, "LICENSE");
    if (existsSync(licence)) cpSync(licence, join(vendor, `${owner}.LICENSE.txt`));
  }
  return 0;
}

function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}
