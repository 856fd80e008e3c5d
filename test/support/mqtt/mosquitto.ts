/** Debian's mosquitto on a free port of this machine, with a configuration of its own in a temporary folder. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../processes.ts";

const PLACES = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"];
const PROGRAM = PLACES.find((place) => existsSync(place));

/** Why there is no broker to test against; undefined where there is one. */
export const NO_MOSQUITTO: string | false =
  PROGRAM === undefined && "mosquitto is not installed (Debian: apt-get install mosquitto mosquitto-clients)";

export interface Mosquitto {
  readonly port: number;
  readonly folder: string;
  readonly log: () => string;
  /** At once, as a machine that loses its power. */
  kill(): Promise<void>;
  /** The same again, at the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** What belongs to its listener: lines of its configuration, and those that need files in its folder. */
export async function startMosquitto(
  options: {
    readonly lines?: readonly string[];
    readonly prepare?: (folder: string) => Promise<readonly string[]>;
  } = {},
): Promise<Mosquitto> {
  const folder = await mkdtemp(join(tmpdir(), "zaguan-mqtt-"));
  const port = await freePort();
  const more = [...(options.lines ?? ["allow_anonymous true"]), ...((await options.prepare?.(folder)) ?? [])];
  const file = join(folder, "mosquitto.conf");
  const user = process.getuid?.() === 0 ? ["user root"] : [];
  await writeFile(file, [`listener ${port} 127.0.0.1`, "persistence false", ...user, ...more, ""].join("\n"));
  let said = "";
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn(PROGRAM ?? "", ["-c", file, "-v"], { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (said += chunk));
    const isOver = (): boolean => child.exitCode !== null;
    await until("mosquitto listens", () => said.includes("running") || isOver());
    if (isOver()) throw new Error(`mosquitto ended: ${said}`);
    await listening(port);
  };
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    said = "";
  };
  await start();
  return {
    port,
    folder,
    kill,
    log: () => said,
    restart: start,
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

/** What `mosquitto_passwd` would write. */
export function passwordFile(folder: string, user: string, password: string): string {
  const file = join(folder, "passwords");
  execFileSync("mosquitto_passwd", ["-b", "-c", file, user, password], { stdio: "ignore" });
  return file;
}

/** An authority, a certificate of 127.0.0.1 and localhost, and one of a client, made anew. */
export function certificates(folder: string): {
  ca: string;
  cert: string;
  key: string;
  clientCert: string;
  clientKey: string;
} {
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]) => execFileSync("openssl", args, { stdio: "ignore", cwd: folder });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority", "-days", "2");
  const issue = (name: string, extra: string) =>
    openssl(
      "req",
      "-x509",
      ...key,
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.pem`,
      "-subj",
      `/CN=${name}`,
      "-days",
      "2",
      "-addext",
      extra,
    );
  issue("server", "subjectAltName=IP:127.0.0.1,DNS:localhost");
  issue("client", "extendedKeyUsage=clientAuth");
  const [ca, cert, serverKey, clientCert, clientKey] = [
    "ca.pem",
    "server.pem",
    "server.key",
    "client.pem",
    "client.key",
  ].map(at);
  return {
    ca: ca ?? "",
    cert: cert ?? "",
    key: serverKey ?? "",
    clientCert: clientCert ?? "",
    clientKey: clientKey ?? "",
  };
}

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LEAST_PORT, MOST_PORT);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

/** Below those that Linux gives to connections that go out: a server that is away for a moment finds its port free again. */
const LEAST_PORT = 10_240;
const MOST_PORT = 32_768;
/** A port is bound some time after it was given. */
const given = new Set<number>();

async function listening(port: number): Promise<void> {
  let isOpen = false;
  await until("the port is open", () => {
    connect(port, "127.0.0.1", function (this: { end(): void }) {
      isOpen = true;
      this.end();
    }).on("error", () => {});
    return isOpen;
  });
}
