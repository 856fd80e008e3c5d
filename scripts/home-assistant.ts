/**
 * Installs a real Home Assistant for test/home-assistant: a virtual environment with the exact versions of its list, all
 * wheels, so that no compiler is needed. It stays in `node_modules/.cache/home-assistant`, or in the folder that
 * ZAGUAN_HOME_ASSISTANT names. What a machine may lack (Python 3.11, a way to PyPI) is an outcome, with which the tests are
 * skipped; anything else, such as a version that no longer exists, is a failure.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const HOME_ASSISTANT_VERSION = "2024.3.3";

/** The Python of the virtual environment, beside which `hass` stands; or one line that says what this machine lacks. */
export type Outcome = { readonly ok: true; readonly python: string } | { readonly ok: false; readonly reason: string };

const LIST = fileURLToPath(new URL("../test/home-assistant/requirements.txt", import.meta.url));
const CACHE = fileURLToPath(new URL("../node_modules/.cache/home-assistant", import.meta.url));
const NEVER_TRIED = "Home Assistant is not installed here: npm run test:home-assistant does it";

/** Only wheels, and only what the list says; a network that answers nothing is given up in a minute. */
const PIP = ["-m", "pip", "install", "--no-deps", "--only-binary", ":all:", "--no-input", "--progress-bar", "off"];
const PIP_PATIENCE = ["--disable-pip-version-check", "--timeout", "20", "--retries", "2"];
/** "none" is what pip says when nobody told it of any version at all, which an index that is there never does. */
const UNREACHABLE =
  /\(from versions: none\)|connection broken by|HTTP error|\b\w*(?:Connect|Connection|Timeout|SSL|Proxy)Error\b/;
const IS_FITTING = "import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, 11))";

if (import.meta.main) await main();

/** What an earlier `install` left; installs nothing. */
export function installed(): Outcome {
  const place = placeOf();
  if (read(place.marker) === read(LIST)) return { ok: true, python: place.python };
  return { ok: false, reason: read(place.reason) ?? NEVER_TRIED };
}

/** Installs unless that is done; throws at what no machine should lack. */
export async function install(say: (line: string) => void): Promise<Outcome> {
  const before = installed();
  if (before.ok) return before;
  const place = placeOf();
  for (const rest of [place.venv, place.reason]) rmSync(rest, { recursive: true, force: true });
  mkdirSync(place.folder, { recursive: true });
  const reason = await fill(place, say);
  if (reason === undefined) writeFileSync(place.marker, read(LIST) ?? "");
  else writeFileSync(place.reason, reason);
  return installed();
}

async function main(): Promise<void> {
  const startedAt = performance.now();
  const outcome = await install((line) => console.log(`Home Assistant: ${line}`));
  // No line for what is missing: the tests that are skipped for it say it.
  if (outcome.ok && performance.now() - startedAt > 1_000) {
    console.log(`Home Assistant: ready after ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  }
}

/** Undefined when everything is in place, or what this machine lacks. */
async function fill({ venv, python }: Place, say: (line: string) => void): Promise<string | undefined> {
  const found = ["python3.11", "python3", "python"].find((name) => run(name, "-c", IS_FITTING).status === 0);
  if (!found) return "there is no Python 3.11 with venv on this machine";
  say(`making a virtual environment in ${venv}`);
  const made = run(found, "-m", "venv", venv);
  if (made.status !== 0) throw new Error(`no virtual environment: ${made.stdout}${made.stderr}`);
  const { code, output } = await runPip(python, say);
  if (code === 0) return undefined;
  const broken = /connection broken by '(\w+)/.exec(output)?.[1];
  const errors = output.split("\n").filter((line) => line.startsWith("ERROR:") && !line.includes("Requires-Python"));
  if (UNREACHABLE.test(output)) return `PyPI cannot be reached (${broken ?? errors.at(-1) ?? "no answer"})`;
  throw new Error(`pip failed:\n${errors.join("\n") || output}`);
}

async function runPip(python: string, say: (line: string) => void): Promise<{ code: number | null; output: string }> {
  const wanted = (read(LIST) ?? "").match(/^[\w-]+==/gm)?.length ?? 0;
  say(`fetching version ${HOME_ASSISTANT_VERSION}, ${wanted} packages`);
  const pip = spawn(python, [...PIP, ...PIP_PATIENCE, "-r", LIST], { stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(pip, "close");
  let output = "";
  let fetched = 0;
  pip.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  for await (const line of createInterface({ input: pip.stdout })) {
    output += `${line}\n`;
    if (line.startsWith("Collecting ") && ++fetched % 10 === 0) say(`${fetched} of ${wanted} packages`);
    if (line.startsWith("Installing ")) say("unpacking them");
  }
  const [code] = (await closed) as [number | null];
  return { code, output };
}

interface Place {
  readonly folder: string;
  readonly venv: string;
  readonly python: string;
  /** There when everything is in place, with the list that was installed. */
  readonly marker: string;
  /** There when the last attempt found something missing. */
  readonly reason: string;
}

/** Nothing but what carries our name is ever removed, since the folder may be anybody's. */
function placeOf(): Place {
  const folder = resolve(process.env["ZAGUAN_HOME_ASSISTANT"] || CACHE);
  const venv = join(folder, `zaguan-home-assistant-${HOME_ASSISTANT_VERSION}`);
  const python = join(venv, "bin", "python");
  return { folder, venv, python, marker: join(venv, "complete"), reason: `${venv}.missing` };
}

function run(command: string, ...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return { status, stdout: stdout ?? "", stderr: stderr ?? "" };
}

function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
