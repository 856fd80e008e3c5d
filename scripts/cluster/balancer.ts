/**
 * Starts the load balancer in front of the nodes: HAProxy or nginx with the files of examples/cluster, or the small one of own-
 * balancer.ts.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endingWithUs } from "../../test/support/processes.ts";
import { nginxArguments, programPath } from "../../test/support/proxy-programs.ts";
import { startOwnBalancer } from "./own-balancer.ts";

export const BALANCERS = ["haproxy", "nginx", "own"] as const;
export type BalancerName = (typeof BALANCERS)[number];

export interface Balancer {
  /** Its name in the printed instructions. */
  readonly title: string;
  stop(): Promise<void>;
}

interface BalancerSetup {
  readonly port: number;
  /** The ports of the nodes, by name. */
  readonly nodes: ReadonlyMap<string, number>;
  /** An existing folder for its configuration files. */
  readonly folder: string;
  /** A response header that names the node that answered; only with HAProxy. */
  readonly nodeHeader?: string | undefined;
}

/** The first balancer that is installed; `own` needs no installation. */
export function defaultBalancer(): BalancerName {
  return BALANCERS.find((name) => name === "own" || programPath(name) !== undefined) ?? "own";
}

/** Resolves when the balancer accepts connections. Rejects with an Error of one line. */
export async function startBalancer(name: BalancerName, setup: BalancerSetup): Promise<Balancer> {
  if (name === "own") {
    const title = "a small balancer of this script, since neither HAProxy nor nginx is used";
    return { title, ...(await startOwnBalancer(setup.port, [...setup.nodes.values()])) };
  }
  const program = programPath(name);
  if (program === undefined) throw new Error(`${name} is not installed (Debian: apt-get install ${name})`);
  const child = await started(program, name === "haproxy" ? haproxy(setup) : nginx(setup), setup.port);
  return { title: name === "haproxy" ? "HAProxy" : "nginx", stop: () => ended(child) };
}

function example(file: string): string {
  return readFileSync(new URL(`../../examples/cluster/${file}`, import.meta.url), "utf8");
}

/** The example without TLS, and without the X-Forwarded headers, with which every visitor would need a key. */
export function haproxyFile({ port, nodes, nodeHeader }: Omit<BalancerSetup, "folder">): string {
  const named = nodeHeader === undefined ? "" : `  http-response set-header ${nodeHeader} %s\n`;
  const servers = [...nodes].map(([node, at]) => `  server ${node} 127.0.0.1:${at}\n`).join("");
  return example("haproxy.cfg")
    .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
    .replace(/^ {2}(?:option forwardfor|http-request set-header X-Forwarded-.*)\n/gm, "")
    .replace("hdr Host hub.example.org", "hdr Host 127.0.0.1")
    .replace(/(?:^ {2}server .*\n)+/m, named + servers);
}

function haproxy(setup: BalancerSetup): string[] {
  const file = join(setup.folder, "haproxy.cfg");
  writeFileSync(file, haproxyFile(setup));
  return ["-db", "-f", file];
}

function nginx({ port, nodes, folder }: BalancerSetup): string[] {
  const servers = [...nodes.values()].map((at) => `  server 127.0.0.1:${at} max_fails=1 fail_timeout=2s;\n`).join("");
  const site = example("nginx.conf")
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replace(/^ +(?:ssl_certificate|proxy_set_header X-Forwarded-).*\n/gm, "")
    .replace(/(?:^ {2}server \d.*\n)+/m, servers);
  mkdirSync(join(folder, "nginx"));
  return nginxArguments(join(folder, "nginx"), site);
}

async function started(program: string, args: readonly string[], port: number): Promise<ChildProcess> {
  const [command = "", ...words] = [...endingWithUs("TERM"), program, ...args];
  const child = spawn(command, words, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  while (!(await isListening(port))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${program} ended: ${output.trim().split("\n").at(-1)}`);
    await sleep(20);
  }
  return child;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(Boolean(socket.destroy())));
    socket.on("error", () => resolve(false));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}
