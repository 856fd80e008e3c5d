/**
 * A real PostgreSQL server for one test file or for `npm run cluster`: the system's, in a temporary folder, on a free port of this
 * machine and on a Unix socket. It ends with the process that started it, whatever becomes of that one.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./mqtt/mosquitto.ts";
import { endingWithUs } from "./processes.ts";

/** Debian keeps the server's programs here, and not on the path. */
const VERSIONS = "/usr/lib/postgresql";
/** The folder of the newest version that is installed. */
const BIN = newestBin();
/** PostgreSQL refuses to run as root: then it runs as the user that its package made for it. */
const OWNER = BIN !== undefined && process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
const START_LIMIT_MS = 60_000;

/** Why there is no server to test against; false where there is one. */
export const NO_POSTGRES: string | false = reasonWithout();

interface PostgresSetup {
  /** Lines of postgresql.conf. Nothing is synced to the disk unless they say so. */
  readonly settings?: readonly string[] | undefined;
  /** Ctrl+C at the terminal ends us, and not the server before we have done with it. @default false */
  readonly isOwnGroup?: boolean | undefined;
}

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

export async function startPostgres(setup: PostgresSetup = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-postgres-"));
  try {
    const data = join(folder, "data");
    await initialise(folder, data);
    const server = new Server(folder, data, await freePort(), setup);
    await server.start();
    return server;
  } catch (cause) {
    rmSync(folder, { recursive: true });
    throw cause;
  }
}

async function initialise(folder: string, data: string): Promise<void> {
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  if (OWNER.uid !== undefined) for (const path of [folder, passwordFile]) chownSync(path, OWNER.uid, OWNER.gid);
  const made = ["-D", data, "-U", "zaguan", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "-E", "UTF8"];
  const args = [...made, "--locale=C.UTF-8", "--no-sync"];
  const child = spawn(program("initdb"), args, { ...OWNER, detached: true, stdio: "ignore", cwd: folder });
  const [code, signal] = await once(child, "exit");
  if (code !== 0) throw new Error(`initdb ended with ${code ?? signal}`);
}

class Server implements Postgres {
  readonly port: number;
  readonly folder: string;
  readonly #data: string;
  readonly #setup: PostgresSetup;
  #child: ChildProcess | undefined;
  #log = "";

  constructor(folder: string, data: string, port: number, setup: PostgresSetup) {
    this.folder = folder;
    this.port = port;
    this.#data = data;
    this.#setup = setup;
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
    const { settings = [], isOwnGroup: detached = false } = this.#setup;
    const options = [...usual, ...settings].flatMap((setting) => ["-c", setting]);
    const words = [program("postgres"), "-D", this.#data, "-p", `${this.port}`, ...options];
    const [command = "", ...args] = [...endingWithUs("INT"), ...words];
    this.#child = spawn(command, args, { ...OWNER, detached, cwd: this.folder, stdio: ["ignore", "ignore", "pipe"] });
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

function program(name: string): string {
  return join(BIN ?? "", name);
}

function newestBin(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const newest = versions.sort((one, other) => Number(other) - Number(one));
  const places = [
    ...newest.map((version) => join(VERSIONS, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  return places.find((bin) => ["initdb", "postgres"].every((name) => existsSync(join(bin, name))));
}

function reasonWithout(): string | false {
  if (BIN === undefined) return "PostgreSQL is not installed (Debian: apt-get install postgresql)";
  return Number.isNaN(OWNER.uid) && "PostgreSQL does not run as root, and there is no user postgres for it";
}

/** NaN where there is no such user. */
function idOf(which: "-u" | "-g"): number {
  const { status, stdout } = spawnSync("id", [which, "postgres"], { encoding: "utf8" });
  return status === 0 ? Number(stdout) : Number.NaN;
}
