/**
 * uv, which runs and installs programs from PyPI, at one version for all machines: installed once by pip into a virtual
 * environment in `node_modules/.cache`. Where there is no Python, or no way to PyPI, the reason is handed back.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { complaintOf } from "./run-program.ts";

const VERSION = "0.13.7";
export const CACHE = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
const PIP = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", `uv==${VERSION}`];

/** The folder that `uv` and `uvx` stand in. */
export type Uv = { readonly bin: string } | { readonly missing: string };

export async function installUv(): Promise<Uv> {
  const folder = join(CACHE, `uv-${VERSION}`);
  const bin = join(folder, "bin");
  if (existsSync(join(bin, "uvx"))) return { bin };
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    const made = await complaintOf("python3", ["-m", "venv", fresh]);
    if (made !== undefined) return { missing: `no python3 with venv: ${made}` };
    const installed = await complaintOf(join(fresh, "bin", "python"), PIP, { limitMs: 180_000 });
    if (installed !== undefined) return { missing: `pip could not install uv ${VERSION}: ${installed}` };
    if (!existsSync(folder)) renameSync(fresh, folder);
    return { bin };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
