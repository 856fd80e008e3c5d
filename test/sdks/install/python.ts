/**
 * The Python SDK with the conformance server of its authors, which is part of its source distribution: a virtual environment
 * with the exact versions of a list, and beside it the sources.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inCache, Missing, runProgram } from "./program.ts";

const QUIET = ["--quiet", "--disable-pip-version-check", "--no-input"];
const SERVER = "examples/servers/everything-server/mcp_everything_server/server.py";

/** The interpreter and the server's file. `list` is a folder beside this one with a requirements.txt. */
export async function installPython(list: string): Promise<readonly [string, string]> {
  const file = fileURLToPath(new URL(`../${list}/requirements.txt`, import.meta.url));
  const wanted = readFileSync(file, "utf8");
  const version = /^mcp==(.+)$/m.exec(wanted)?.[1];
  const folder = inCache(list);
  const python = join(folder, "bin", "python");
  const done = join(folder, "complete");
  if (!existsSync(done) || readFileSync(done, "utf8") !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await makeEnvironment(folder);
    await runProgram(python, ["-m", "pip", "install", ...QUIET, "-r", file]);
    await fetchSources(python, folder, `mcp==${version}`);
    writeFileSync(done, wanted);
  }
  return [python, join(folder, `mcp-${version}`, SERVER)];
}

async function makeEnvironment(folder: string): Promise<void> {
  await runProgram("python3", ["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"]).catch(() => {
    throw new Missing("there is no python3 from 3.10 on with venv on this machine");
  });
  await runProgram("python3", ["-m", "venv", folder]);
}

async function fetchSources(python: string, folder: string, what: string): Promise<void> {
  const only = ["--no-deps", "--no-binary", "mcp", "--dest", folder];
  await runProgram(python, ["-m", "pip", "download", ...QUIET, ...only, what]);
  await runProgram(python, ["-m", "tarfile", "-e", join(folder, `${what.replace("==", "-")}.tar.gz`), folder]);
}
