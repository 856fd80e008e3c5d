/** Builds `dist` for publishing: emptied, compiled by the project's own TypeScript, and free of tests. */
import { spawnSync } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

rmSync(join(ROOT, "dist"), { recursive: true, force: true });
process.exitCode = compile() || refuseTests();

/** The compiler says itself what is wrong; its exit code becomes ours. */
function compile(): number {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
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
