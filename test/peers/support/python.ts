/**
 * A Python with the official client in it, made once per machine under the system's temporary folder. Where there is no
 * Python, or its packages cannot be had, the reason is handed back for the test that is skipped.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { run } from "./run.ts";

const CLIENT = "mcp==2.3.0";
const CACHE = join(tmpdir(), `zaguan-peers-python-${CLIENT.replace("==", "-")}`);

export type PythonWithClient = { readonly python: string } | { readonly missing: string };

export async function pythonWithClient(): Promise<PythonWithClient> {
  if (await hasClient(CACHE)) return { python: pythonIn(CACHE) };
  rmSync(CACHE, { recursive: true, force: true });
  const fresh = `${CACHE}-${process.pid}`;
  try {
    const missing = await make(fresh);
    if (missing) return { missing };
    await putInPlace(fresh);
    return { python: pythonIn(CACHE) };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Another test file may have been faster; then its folder will do. */
async function putInPlace(fresh: string): Promise<void> {
  try {
    renameSync(fresh, CACHE);
  } catch (error) {
    if (!(await hasClient(CACHE))) throw error;
  }
}

/** What is missing, or nothing. */
async function make(folder: string): Promise<string | undefined> {
  const made = await attempt("python3", ["-m", "venv", folder]);
  if (made !== undefined) return `no python3 with venv: ${made}`;
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", CLIENT];
  const installed = await attempt(pythonIn(folder), pip);
  return installed === undefined ? undefined : `pip could not install ${CLIENT}: ${installed}`;
}

async function hasClient(folder: string): Promise<boolean> {
  return (
    existsSync(pythonIn(folder)) && (await attempt(pythonIn(folder), ["-c", "from mcp import Client"])) === undefined
  );
}

/** Undefined if it went well, or the last line of its complaint. */
async function attempt(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { code, stdout, stderr } = await run(command, args);
    return code === 0 ? undefined : (`${stdout}${stderr}`.trim().split("\n").at(-1) ?? `exit code ${code}`);
  } catch (error) {
    return (error as Error).message;
  }
}

function pythonIn(folder: string): string {
  return join(folder, "bin", "python");
}
