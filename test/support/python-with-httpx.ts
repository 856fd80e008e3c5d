/**
 * A Python that has httpx: the machine's own, or one made once under the system's temporary folder. Where neither can be
 * had, the reason is handed back for the test that is skipped.
 */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { complaintOf } from "./run-program.ts";

const PACKAGE = "httpx==0.28.1";
const CACHE = join(tmpdir(), "zaguan-python-httpx-0.28.1");
/** A machine without a network shall not wait for one. */
const PIP = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "10"];

export type PythonWithHttpx = { readonly python: string } | { readonly missing: string };

export async function pythonWithHttpx(): Promise<PythonWithHttpx> {
  if (await hasHttpx("python3")) return { python: "python3" };
  if (await hasHttpx(pythonIn(CACHE))) return { python: pythonIn(CACHE) };
  const fresh = mkdtempSync(`${CACHE}-`);
  try {
    const missing = await make(fresh);
    if (missing !== undefined) return { missing };
    putInPlace(fresh);
    return (await hasHttpx(pythonIn(CACHE))) ? { python: pythonIn(CACHE) } : { missing: `${CACHE} does not work` };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Another test file may have been faster; then its folder will do. */
function putInPlace(fresh: string): void {
  try {
    renameSync(fresh, CACHE);
  } catch (error) {
    if (!existsSync(pythonIn(CACHE))) throw error;
  }
}

/** What is missing, or nothing. */
async function make(folder: string): Promise<string | undefined> {
  const made = await complaintOf("python3", ["-m", "venv", folder]);
  if (made !== undefined) return `no python3 with venv: ${made}`;
  const installed = await complaintOf(pythonIn(folder), [...PIP, PACKAGE], { limitMs: 90_000 });
  return installed === undefined ? undefined : `pip could not install ${PACKAGE}: ${installed}`;
}

async function hasHttpx(python: string): Promise<boolean> {
  return (await complaintOf(python, ["-c", "import httpx"])) === undefined;
}

function pythonIn(folder: string): string {
  return join(folder, "bin", "python");
}
