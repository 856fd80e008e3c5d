/**
 * Brings what the bench measures beside Zaguan: npm packages from the bench's own lock file, Python packages into
 * environments under the system's temporary folder. None of their scripts runs; what is there already is kept.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const BENCH = fileURLToPath(new URL(".", import.meta.url));
/** npm writes it when it has put everything in place. */
const DONE = join(BENCH, "node_modules", ".package-lock.json");

/** What comes from PyPI; each in an environment of its own, since their dependencies contradict each other. */
export const PYTHON: Readonly<Record<"fastmcp" | "mcp-proxy", string>> = { fastmcp: "4.1.2", "mcp-proxy": "0.13.0" };

export function installPackages(): void {
  if (writtenAt(DONE) >= writtenAt(join(BENCH, "package-lock.json"))) return;
  const args = ["ci", "--prefix", BENCH, "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status, error } = spawnSync("npm", args, { stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0)
    throw new Error(`npm could not install the bench's packages: ${error?.message ?? `code ${status}`}`);
}

/** The command of a Python package, which has its name; rejects with the reason if it cannot be had. */
export async function pythonCommand(command: keyof typeof PYTHON): Promise<string> {
  const requirement = `${command}==${PYTHON[command]}`;
  const folder = join(tmpdir(), `zaguan-bench-${requirement.replace("==", "-")}`);
  const found = join(folder, "bin", command);
  if (existsSync(found)) return found;
  rmSync(folder, { recursive: true, force: true });
  await attempt("python3", ["-m", "venv", folder]);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement];
  try {
    await attempt(join(folder, "bin", "python"), pip);
  } catch (error) {
    // Half an environment would look like a whole one the next time.
    renameSync(folder, `${folder}.failed`);
    rmSync(`${folder}.failed`, { recursive: true, force: true });
    throw error;
  }
  return found;
}

async function attempt(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(said.trim().split("\n").at(-1) || `${command} ended with code ${code}`);
}

/** Zero for a file that is not there. */
function writtenAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
