/**
 * One Python environment per client, in `node_modules/.cache`, made once by uv. What a client's own requirements leave open
 * is decided as of one day, so that every machine gets the same.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { complaintOf } from "../../support/run-program.ts";
import { CACHE, installUv } from "../../support/uv.ts";

const AS_OF = "2026-11-15";
const LIMIT_MS = 300_000;
const ROOT = join(CACHE, "real-clients");

export type Environment = { readonly python: string } | { readonly missing: string };

export async function environmentFor(packages: readonly string[]): Promise<Environment> {
  const folder = join(ROOT, packages.join(" ").replace(/[^\w.-]+/g, "-"));
  const [python, complete] = [join(folder, "bin", "python"), join(folder, "complete")];
  if (existsSync(complete)) return { python };
  const uv = await installUv();
  if ("missing" in uv) return uv;
  mkdirSync(ROOT, { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  const steps = [
    ["venv", "--quiet", "--no-python-downloads", folder],
    ["pip", "install", "--quiet", "--python", python, "--exclude-newer", AS_OF, ...packages],
  ];
  for (const step of steps) {
    const complaint = await complaintOf(join(uv.bin, "uv"), step, { limitMs: LIMIT_MS });
    if (complaint !== undefined) return { missing: `uv could not install ${packages}: ${complaint}` };
  }
  writeFileSync(complete, "");
  return { python };
}
