/**
 * The browser for test/console and the screenshots. Run by itself it makes sure that there is one: on Debian and its kin, as
 * root, it installs the distribution's own package; elsewhere it says in one line what is missing.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

/** Any of these will do; the one that ZAGUAN_CHROMIUM names comes first. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const PLACES = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome", "/usr/lib/chromium"];
const ON_A_MAC = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const MISSING = "no Chromium was found: install it (Debian: apt-get install chromium), or name it in ZAGUAN_CHROMIUM";

if (import.meta.main) process.exitCode = provide();

/** Where the browser is, if there is one. What the environment names is taken at its word, or not at all. */
export function findChromium(): string | undefined {
  const named = process.env["ZAGUAN_CHROMIUM"];
  if (named) return isProgram(named) ? named : undefined;
  const folders = [...new Set([...(process.env["PATH"] ?? "").split(delimiter), ...PLACES])].filter(Boolean);
  const possible = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...possible, ...ON_A_MAC].find(isProgram);
}

/** For those who cannot do without. */
export function chromium(): string {
  const found = findChromium();
  if (!found) throw new Error(MISSING);
  return found;
}

function provide(): number {
  if (findChromium()) return 0;
  if (process.env["ZAGUAN_CHROMIUM"]) return missing("ZAGUAN_CHROMIUM names no program that can be run");
  if (!existsSync("/etc/debian_version") || process.getuid?.() !== 0) return missing(MISSING);
  for (const args of [["update"], ["install", "--yes", "--no-install-recommends", "chromium"]]) {
    console.log(`Chromium: apt-get ${args.join(" ")}`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const { status } = spawnSync("apt-get", args, { stdio: "inherit", env });
    // A list that could not be renewed may still be good enough.
    if (status !== 0 && args[0] !== "update") return missing(`apt-get could not install chromium (exit ${status})`);
  }
  return findChromium() ? 0 : missing(MISSING);
}

function missing(line: string): number {
  process.stderr.write(`Chromium: ${line}\n`);
  return 1;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
