/**
 * A Python with packages from PyPI in it, made once per machine under the system's temporary folder. Where it cannot be had,
 * the reason is handed back for the test that is skipped.
 */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { complaintOf } from "../../support/run-program.ts";

export type Python = { readonly python: string } | { readonly missing: string };

/** A machine without a network shall not wait for one. */
const PIP = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "10"];

/** @param packages with their versions: `name==1.2.3` */
export async function pythonWith(...packages: readonly string[]): Promise<Python> {
  const cache = join(tmpdir(), `zaguan-python-${packages.join("-").replaceAll("==", "-")}`);
  if (existsSync(pythonIn(cache))) return { python: pythonIn(cache) };
  const fresh = mkdtempSync(`${cache}-`);
  try {
    const missing = await make(fresh, packages);
    if (missing !== undefined) return { missing };
    putInPlace(fresh, cache);
    return { python: pythonIn(cache) };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Another test file may have been faster; then its folder will do. */
function putInPlace(fresh: string, cache: string): void {
  try {
    renameSync(fresh, cache);
  } catch (error) {
    if (!existsSync(pythonIn(cache))) throw error;
  }
}

/** What is missing, or nothing. */
async function make(folder: string, packages: readonly string[]): Promise<string | undefined> {
  const made = await complaintOf("python3", ["-m", "venv", folder]);
  if (made !== undefined) return `no python3 with venv: ${made}`;
  const installed = await complaintOf(pythonIn(folder), [...PIP, ...packages], { limitMs: 240_000 });
  return installed === undefined ? undefined : `pip could not install ${packages.join(", ")}: ${installed}`;
}

function pythonIn(folder: string): string {
  return join(folder, "bin", "python");
}
