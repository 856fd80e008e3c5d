/**
 * A load balancer in front of several hubs: each request goes to the next of them, without stickiness, as far as `GET /health` of
 * it answers 200. It is HAProxy where that is installed, and else a proxy of this process that does the same.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { until } from "../processes.ts";

export interface Balancer {
  /** Which one it is, for the report. */
  readonly program: string;
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** The header of each answer that names the hub that gave it. */
export const NODE_HEADER = "x-answered-by";
const PATH = `${process.env["PATH"]}:/usr/sbin:/usr/local/sbin`;
const LOOK_MS = 500;
const LOOKS_TO_FALL = 2;

/** Ports by the names of the hubs. A port is for the configuration of the hubs, which must know their visitors' Host. */
export async function startBalancer(port: number, hubs: ReadonlyMap<string, number>): Promise<Balancer> {
  const hasHaproxy = spawnSync("sh", ["-c", "command -v haproxy"], { env: { PATH } }).status === 0;
  return hasHaproxy ? await startHaproxy(port, hubs) : await startOwn(port, hubs);
}

/** As docs/cluster.md has it, with this machine's ports. */
function haproxyFile(port: number, hubs: ReadonlyMap<string, number>): string {
  const servers = [...hubs].map(
    ([name, at]) => `  server ${name} 127.0.0.1:${at} check inter ${LOOK_MS}ms fall 2 rise 2`,
  );
  return `
defaults
  mode http
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
  option redispatch
  retries 3

frontend hub
  bind 127.0.0.1:${port}
  default_backend nodes

backend nodes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /health ver HTTP/1.1 hdr Host 127.0.0.1
  http-check expect status 200
  http-response set-header ${NODE_HEADER} %s
${servers.join("\n")}
`;
}

async function startHaproxy(port: number, hubs: ReadonlyMap<string, number>): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-balancer-"));
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, haproxyFile(port, hubs));
  let said = "";
  const child = spawn("haproxy", ["-db", "-f", file], {
    env: { ...process.env, PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killAtExit);
  const stop = async (): Promise<void> => {
    await ended(child);
    process.off("exit", killAtExit);
    rmSync(folder, { recursive: true, force: true });
  };
  let isUp = false;
  void answering(port).then(() => {
    isUp = true;
  });
  await until("HAProxy answers", () => isUp || child.exitCode !== null, 30_000);
  if (!isUp) throw new Error(`HAProxy ended: ${said}`);
  return { program: `HAProxy ${versionOf()}`, port, url: `http://127.0.0.1:${port}`, stop };
}

function versionOf(): string {
  const { stdout } = spawnSync("haproxy", ["-v"], { env: { PATH }, encoding: "utf8" });
  return /version (\d+\.\d+)/.exec(stdout)?.[1] ?? "";
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** Resolves when something answers there, whatever it says. */
async function answering(port: number): Promise<void> {
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      () => true,
      () => false,
    );
  while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, 50));
}

interface Behind {
  readonly name: string;
  readonly port: number;
  misses: number;
  isUp: boolean;
}

async function startOwn(port: number, hubs: ReadonlyMap<string, number>): Promise<Balancer> {
  const behind: Behind[] = [...hubs].map(([name, at]) => ({ name, port: at, misses: 0, isUp: true }));
  const agent = new Agent({ keepAlive: false });
  let turn = 0;
  const server = createServer((asked, answer) => {
    const up = behind.filter(({ isUp }) => isUp);
    const start = turn++;
    const inTurn = up.map((_, index) => up[(start + index) % up.length] as Behind);
    void pass(asked, answer, inTurn, agent);
  });
  server.keepAliveTimeout = 3_600_000;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const looking = setInterval(() => void Promise.all(behind.map(look)), LOOK_MS);
  const stop = async (): Promise<void> => {
    clearInterval(looking);
    agent.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { program: "a proxy of the test", port, url: `http://127.0.0.1:${port}`, stop };
}

async function look(hub: Behind): Promise<void> {
  const url = `http://127.0.0.1:${hub.port}/health`;
  const isWell = await fetch(url, { headers: { connection: "close" }, signal: AbortSignal.timeout(2_000) }).then(
    (answer) => answer.text().then(() => answer.status === 200),
    () => false,
  );
  hub.misses = isWell ? 0 : hub.misses + 1;
  hub.isUp = hub.misses < LOOKS_TO_FALL;
}

/** To the first that can be connected to: what was not sent may be sent to the next. */
async function pass(
  asked: IncomingMessage,
  answer: ServerResponse,
  hubs: readonly Behind[],
  agent: Agent,
): Promise<void> {
  const body = Buffer.concat(await asked.toArray());
  for (const hub of hubs) {
    const outcome = await passTo(hub, asked, body, answer, agent);
    if (outcome === "answered") return;
    if (outcome === "lost") break;
  }
  if (!answer.headersSent) answer.writeHead(502).end();
  else answer.destroy();
}

function passTo(
  hub: Behind,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  answer: ServerResponse,
  agent: Agent,
): Promise<"answered" | "refused" | "lost"> {
  return new Promise((resolve) => {
    const to = { host: "127.0.0.1", port: hub.port, method, path: url, headers: { ...headers, connection: "close" } };
    const sent = request({ ...to, agent }, (told) => {
      const { connection: _, ...kept } = told.headers;
      answer.writeHead(told.statusCode ?? 502, { ...kept, [NODE_HEADER]: hub.name });
      told.on("error", () => resolve("lost"));
      told.pipe(answer).on("finish", () => resolve("answered"));
    });
    sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED" ? "refused" : "lost"));
    answer.on("close", () => sent.destroy());
    sent.end(body);
  });
}
