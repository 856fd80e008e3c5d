/**
 * Installs the programs of test/peers, or of the folder that is named, from their own lock file, without running any of
 * their scripts, unless what is there is already that. They stay out of the project's own dependencies: they prove it from
 * outside.
 */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const PEERS = fileURLToPath(new URL(`../${process.argv[2] ?? "test/peers"}`, import.meta.url));
/** npm writes it when it has put everything in place. */
const DONE = join(PEERS, "node_modules", ".package-lock.json");

if (writtenAt(DONE) < writtenAt(join(PEERS, "package-lock.json"))) process.exitCode = install();

function install(): number {
  const args = ["ci", "--prefix", PEERS, "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status, error } = spawnSync("npm", args, { stdio: "inherit", shell: process.platform === "win32" });
  if (error) process.stderr.write(`npm did not run: ${error.message}\n`);
  return status ?? 1;
}

/** Zero for a file that is not there. */
function writtenAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
