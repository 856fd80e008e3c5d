/**
 * Builds `dist` for publishing: emptied, compiled by the project's own TypeScript, and free of tests. The viewer of
 * `/docs` comes along as files with their licence, so that nobody who installs the package has to install it.
 */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VIEWER_FILES = [
  ...["swagger-ui-bundle.js", "swagger-ui.css"],
  ...["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"],
];

rmSync(join(ROOT, "dist"), { recursive: true, force: true });
process.exitCode = compile() || refuseTests() || copyViewer();

/** The compiler says itself what is wrong; its exit code becomes ours. */
function compile(): number {
  const tsc = join(folderOf("typescript"), "bin", "tsc");
  const { status, error } = spawnSync(process.execPath, [tsc, "--project", "tsconfig.build.json"], {
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

function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}
