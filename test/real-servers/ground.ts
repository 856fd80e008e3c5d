/**
 * What the servers stand on: a temporary home with empty caches of npm and uv, so that nothing of the user's own is read or
 * written, and the few things that they are asked about: a note, a git repository, a page.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";

/** Everything that a server started here has in its environment, and that tells ours from all other processes. */
const MARKER = "ZAGUAN_REAL_GROUND";
/** What a machine may need to reach the registries at all. */
const NETWORK =
  /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|(?:HTTPS?|NO)_PROXY|npm_config_(?:userconfig|registry)|UV_(?:DEFAULT_)?INDEX(?:_URL)?)$/i;
const COMMIT = { GIT_AUTHOR_DATE: "2026-01-01T12:00:00Z", GIT_COMMITTER_DATE: "2026-01-01T12:00:00Z" };
const AUTHOR = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgsign=false"];

export interface Ground {
  readonly folder: string;
  readonly files: string;
  readonly repository: string;
  /** `http://127.0.0.1:PORT/` */
  readonly page: string;
  /** The environment of servers with empty caches of their own; what is started with it is found by `left`. */
  environment(whose: string): Record<string, string>;
  /** The processes that were started with it and still run. */
  left(whose: string): number[];
  remove(): void;
}

export async function prepareGround(uvFolder: string): Promise<Ground> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "zaguan-real-")));
  const [files, repository] = [join(folder, "files"), join(folder, "repository")];
  for (const each of [files, repository]) mkdirSync(each);
  writeFileSync(join(files, "note.txt"), "¡Hola, zaguán! 你好\n");
  const ana = { type: "entity", name: "Ana", entityType: "person", observations: ["lives here"] };
  writeFileSync(join(files, "memory.jsonl"), JSON.stringify(ana));
  commitNote(repository);
  const { page, close } = await openPage();
  const marker = (whose: string): string => `${folder}:${whose}`;
  return {
    folder,
    files,
    repository,
    page,
    environment: (whose) => ({ ...placesOf(join(folder, whose), uvFolder), [MARKER]: marker(whose) }),
    left: (whose) => processesWith(`${MARKER}=${marker(whose)}`),
    remove: () => {
      close();
      // Gigabytes in a hundred thousand files: nobody has to wait for that.
      spawn("rm", ["-rf", folder], { detached: true, stdio: "ignore" }).unref();
    },
  };
}

function placesOf(folder: string, uvFolder: string): Record<string, string> {
  const [home, npm, uv] = ["home", "npm", "uv"].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [home, npm, uv]) mkdirSync(each, { recursive: true });
  const network = Object.entries(process.env).filter(([name]) => NETWORK.test(name)) as [string, string][];
  return {
    ...Object.fromEntries(network),
    HOME: home,
    npm_config_cache: npm,
    UV_CACHE_DIR: uv,
    XDG_CACHE_HOME: join(home, ".cache"),
    // An installed Python will do: none is to be fetched from elsewhere. What servers leave open is decided as of one day.
    UV_PYTHON_DOWNLOADS: "never",
    UV_EXCLUDE_NEWER: "2026-11-15",
    npm_config_update_notifier: "false",
    PATH: `${uvFolder}${delimiter}${process.env["PATH"]}`,
  };
}

function commitNote(repository: string): void {
  writeFileSync(join(repository, "note.txt"), "¡Hola!\n");
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", [...AUTHOR, ...args], { cwd: repository, env: { ...process.env, ...COMMIT } });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message=A note");
}

async function openPage(): Promise<{ page: string; close: () => void }> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8").end("<h1>Zaguán</h1><p>¡Hola! 你好</p>");
  });
  server.unref().listen(0, "127.0.0.1");
  await once(server, "listening");
  return { page: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

function processesWith(variable: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => environmentOf(pid).includes(variable)).map(Number);
}

/** Empty for one that has ended meanwhile, or is a zombie, or is not ours. */
function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
