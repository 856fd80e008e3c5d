/**
 * Builds our conformance server for Rust's `rmcp` in the versions of a lock file; cargo knows itself what is done already.
 * What the server offers is written beside it.
 */
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { inCache, runProgram } from "./program.ts";

/** The program and the file of its definitions. `manifest` is a folder beside this one, named as its program is. */
export async function installRust(manifest: string): Promise<readonly [string, string]> {
  const folder = inCache("rust");
  const definitions = join(folder, "definitions.json");
  const file = fileIn(`${manifest}/Cargo.toml`);
  await runProgram("cargo", ["build", "--quiet", "--locked", "--manifest-path", file, "--target-dir", folder]);
  await runProgram(process.execPath, [fileIn("rust/definitions.mjs"), definitions]);
  return [join(folder, "debug", manifest), definitions];
}

function fileIn(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
