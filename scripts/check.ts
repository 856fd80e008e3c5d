/**
 * Format, lint, types, dead code and generated files: programs that know nothing of each other, side by side. What each says is printed in one
 * piece; all of them are heard before the end.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/**
 * Several checkers of types would check much of the code twice, and the other programs here need the cores. What did not
 * change since the last time is not checked again.
 */
const TYPES = "tsc --noEmit --checkers 1 --incremental --tsBuildInfoFile node_modules/.cache/types";
const CHECKS = [
  "biome check --error-on-warnings .",
  // What is published has declarations: with their rules, tsconfig.build.json has nothing more to find. That src/ imports
  // nothing from outside is held by test/architecture.test.ts.
  `${TYPES}/node.json --declaration`,
  `${TYPES}/console.json --project src/console`,
  "node scripts/generate.ts --check",
  "node scripts/dead-code.ts",
];

async function run(command: string): Promise<boolean> {
  // npm has put node_modules/.bin in front of the path, where on Windows the programs are scripts for a shell.
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve) => child.on("close", resolve));
  const said = (await Promise.all([text(child.stdout), text(child.stderr)])).join("").trim();
  const passed = (await code) === 0;
  if (said || !passed) console.log(`${command}\n${said}\n`);
  return passed;
}

const passed = await Promise.all(CHECKS.map(run));
process.exitCode = passed.every(Boolean) ? 0 : 1;
