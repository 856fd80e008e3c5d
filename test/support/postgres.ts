/**
 * A real PostgreSQL server for one test file: Debian's, in a temporary folder, on a free port of this machine and on a Unix
 * socket. It ends with the process that started it, whatever becomes of that one.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./mqtt/mosquitto.ts";

const VERSIONS = "/usr/lib/postgresql";
/** The folder of the newest version that is installed. */
const BIN = newestBin();
/** PostgreSQL refuses to run as root: then it runs as the user that Debian made for it. */
const OWNER = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
const START_LIMIT_MS = 60_000;

/** Why there is no server to test against; false where there is one. */
export const NO_POSTGRES: string | false =
  BIN === undefined && "PostgreSQL is not installed (Debian: apt-get install postgresql)";

export const PASSWORD = "p:/@%? secret";

export interface Postgres {
  readonly port: number;
  /** Its files, its socket and its configuration. */
  readonly folder: string;
  /** The address of a schema of its own; further parameters may follow with `&`. */
  url(schema?: string): string;
  /** What `psql` answers to a statement of the administrator, without headings. */
  sql(statement: string, database?: string): string;
  log(): string;
  /** Lets those who are connected go, as an operator does. */
  stop(): Promise<void>;
  /** At once, as a machine that loses its power. */
  kill(): Promise<void>;
  /** At the same port, with the same data. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  dispose(): Promise<void>;
}

/** `settings` are lines of postgresql.conf. Nothing is synced to the disk unless they say so. */
export async function startPostgres(settings: readonly string[] = []): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-postgres-"));
  const [data, passwordFile] = [join(folder, "data"), join(folder, "password")];
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  if (OWNER.uid !== undefined) for (const path of [folder, passwordFile]) chownSync(path, OWNER.uid, OWNER.gid);
  const made = ["-D", data, "-U", "zaguan", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "-E", "UTF8"];
  execFileSync(program("initdb"), [...made, "--locale=C.UTF-8", "--no-sync"], {
    ...OWNER,
    stdio: "ignore",
    cwd: folder,
  });
  const server = new Server(folder, data, await freePort(), settings);
  await server.start();
  return server;
}

class Server implements Postgres {
  readonly port: number;
  readonly folder: string;
  readonly #data: string;
  readonly #settings: readonly string[];
  #child: ChildProcess | undefined;
  #log = "";

  constructor(folder: string, data: string, port: number, settings: readonly string[]) {
    this.folder = folder;
    this.port = port;
    this.#data = data;
    this.#settings = settings;
  }

  url(schema = "zaguan"): string {
    return `postgres://zaguan:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}/postgres?schema=${schema}`;
  }

  sql(statement: string, database = "postgres"): string {
    const args = ["-h", "127.0.0.1", "-p", `${this.port}`, "-U", "zaguan", "-d", database, "-XAtq", "-c", statement];
    // Its own sessions may write, whatever a test has set for others.
    const env = { ...process.env, PGPASSWORD: PASSWORD, PGOPTIONS: "-c default_transaction_read_only=off" };
    return execFileSync(program("psql"), args, { env, encoding: "utf8", cwd: this.folder }).trim();
  }

  log(): string {
    return this.#log;
  }

  async start(): Promise<void> {
    const usual = [
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${this.folder}`,
      "fsync=off",
      "shared_buffers=16MB",
    ];
    const options = [...usual, ...this.#settings].flatMap((setting) => ["-c", setting]);
    const words = [program("postgres"), "-D", this.#data, "-p", `${this.port}`, ...options];
    const [command = "", ...args] = [...endingWithUs(), ...words];
    this.#child = spawn(command, args, { ...OWNER, cwd: this.folder, stdio: ["ignore", "ignore", "pipe"] });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#log += text));
    await this.#ready(this.#child);
  }

  stop(): Promise<void> {
    return this.#end("SIGINT");
  }

  async kill(): Promise<void> {
    await this.#end("SIGQUIT");
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }

  async #ready(child: ChildProcess): Promise<void> {
    const args = ["-h", "127.0.0.1", "-p", `${this.port}`, "-q"];
    for (const end = performance.now() + START_LIMIT_MS; performance.now() < end; await sleep(50)) {
      if (child.exitCode !== null) break;
      if (spawnSync(program("pg_isready"), args, { stdio: "ignore" }).status === 0) return;
    }
    child.kill("SIGQUIT");
    throw new Error(`PostgreSQL did not start: ${this.#log}`);
  }

  async #end(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}

/** Whose the server's files are. */
export function ownerOf(): { readonly uid: number; readonly gid: number } {
  return { uid: OWNER.uid ?? process.getuid?.() ?? 0, gid: OWNER.gid ?? process.getgid?.() ?? 0 };
}

/** Gives a file to the server, with that mode. */
export function chownTo(file: string, mode: number): void {
  const { uid, gid } = ownerOf();
  chownSync(file, uid, gid);
  chmodSync(file, mode);
}

/** A word before the command, by which the system ends it when we are gone. */
function endingWithUs(): readonly string[] {
  return existsSync("/usr/bin/setpriv") ? ["/usr/bin/setpriv", "--pdeathsig", "INT"] : [];
}

function program(name: string): string {
  return join(BIN ?? "", name);
}

function newestBin(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const newest = versions.sort((one, other) => Number(other) - Number(one));
  return newest.map((version) => join(VERSIONS, version, "bin")).find((bin) => existsSync(join(bin, "postgres")));
}

function idOf(which: "-u" | "-g"): number {
  return Number(execFileSync("id", [which, "postgres"], { encoding: "utf8" }));
}
