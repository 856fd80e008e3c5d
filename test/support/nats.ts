/** Real NATS servers on free ports of this machine, each with a configuration of its own in a temporary folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installedNats } from "../../scripts/nats.ts";
import type { Bus, BusState, Sender } from "../../src/bus/bus.ts";
import { parseSecrets } from "../../src/bus/cluster-secret.ts";
import { type BusOptions, openBus } from "../../src/bus/nats-bus.ts";
import { freePort } from "./mqtt/mosquitto.ts";
import { endingWithUs, until } from "./processes.ts";

/** Why there is no server to test against; false where there is one. */
export const NO_NATS: string | false = missingNats();

export interface NatsProcess {
  readonly port: number;
  /** `nats://127.0.0.1:PORT` */
  readonly url: string;
  readonly folder: string;
  readonly pid: () => number;
  readonly log: () => string;
  /** At once, as a machine that loses its power. */
  kill(): Promise<void>;
  /** The same again, at the same port. */
  restart(): Promise<void>;
  /** Neither reads nor answers, and keeps its connections. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

interface NatsSetup {
  readonly port?: number;
  readonly lines?: readonly string[];
  /** Lines that name files in its folder. */
  readonly prepare?: (folder: string) => Promise<readonly string[]>;
  /** Ctrl+C at the terminal ends us, and not the server before we have done with it. @default false */
  readonly isOwnGroup?: boolean;
}

export async function startNats(setup: NatsSetup = {}): Promise<NatsProcess> {
  const folder = await mkdtemp(join(tmpdir(), "zaguan-nats-"));
  const port = setup.port ?? (await freePort());
  const file = join(folder, "nats.conf");
  const more = [...(setup.lines ?? []), ...((await setup.prepare?.(folder)) ?? [])];
  await writeFile(file, [`listen: "127.0.0.1:${port}"`, ...more, ""].join("\n"));
  let said = "";
  let child: ChildProcess;
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const start = async (): Promise<void> => {
    said = "";
    const found = installedNats();
    const [command = "", ...args] = [...endingWithUs("KILL"), "program" in found ? found.program : "", "-c", file];
    child = spawn(command, args, { detached: setup.isOwnGroup ?? false, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.on("data", (chunk) => (said += chunk));
    await until("NATS listens", () => said.includes("Server is ready") || isOver());
    if (isOver()) throw new Error(`NATS ended: ${said}`);
  };
  const kill = async (): Promise<void> => {
    if (isOver()) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  };
  await start();
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    folder,
    pid: () => child.pid ?? 0,
    log: () => said,
    kill,
    restart: start,
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

function missingNats(): string | false {
  const found = installedNats();
  return "missing" in found && found.missing;
}

/** Servers that know each other; resolves when all routes are there. */
export async function startNatsCluster(count: number): Promise<NatsProcess[]> {
  const routes = await Promise.all(Array.from({ length: count }, freePort));
  const list = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
  const lines = (port: number, index: number): string[] => [
    `server_name: "n${index}"`,
    `cluster { name: "test", listen: "127.0.0.1:${port}", pool_size: -1, routes: [${list}] }`,
  ];
  const servers = await Promise.all(routes.map((port, index) => startNats({ lines: lines(port, index) })));
  const routesOf = ({ log }: NatsProcess): number => log().match(/Route connection created/g)?.length ?? 0;
  await until("all routes are there", () => servers.every((server) => routesOf(server) >= count - 1));
  return servers;
}

const SECRETS = parseSecrets("Zq3vT8mK1xR6wB9nD4sF7hJ2pL5cY0gA", "the test");

/** A node of the test's cluster, and what it has heard. */
export interface TestNode {
  readonly bus: Bus;
  readonly heard: { readonly from: Sender; readonly message: string }[];
  /** Numbers of messages that nobody listened for. */
  readonly unheard: { readonly to: string; readonly number: number }[];
  readonly states: BusState[];
}

/** Closing it is up to the test. */
export async function openNode(servers: string, node: string, more: Partial<BusOptions> = {}): Promise<TestNode> {
  const bus = await openBus({ node, nats: { servers }, secrets: SECRETS, ...more });
  const found: TestNode = { bus, heard: [], unheard: [], states: [] };
  bus.listen((from, message) => found.heard.push({ from, message }));
  bus.watchUnheard((to, number) => found.unheard.push({ to, number }));
  bus.watch((state) => found.states.push(state));
  return found;
}
