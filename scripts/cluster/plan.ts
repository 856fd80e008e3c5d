/** The options of `npm run cluster`, checked before anything is started. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { parseArgs } from "node:util";
import { freePort } from "../../test/support/mqtt/mosquitto.ts";
import { BALANCERS, type BalancerName, defaultBalancer } from "./balancer.ts";

/** An error that the user can fix; printed in one line, without a stack trace. */
export class Refusal extends Error {}

export interface Plan {
  /** The names of the nodes. */
  readonly nodes: readonly string[];
  readonly port: number;
  readonly database: string | undefined;
  readonly nats: string | undefined;
  readonly balancer: BalancerName;
  /** Environment variables with secrets, the same for all nodes. */
  readonly secrets: Readonly<Record<string, string>>;
}

const MOST_NODES = 9;

export async function planOf(args: string[]): Promise<Plan> {
  const { nodes, port, database, nats, balancer } = optionsIn(args);
  const count = wholeNumber("--nodes", nodes, 1, MOST_NODES);
  if (balancer !== undefined && !isBalancer(balancer))
    throw new Refusal(`--balancer is one of ${BALANCERS.join(", ")}`);
  return {
    nodes: Array.from({ length: count }, (_, index) => `node-${index + 1}`),
    port: await usable(wholeNumber("--port", port, 0, 65_535)),
    database,
    nats,
    balancer: balancer ?? defaultBalancer(),
    secrets: database === undefined ? { ZAGUAN_CLUSTER_SECRET: randomBytes(32).toString("base64") } : keptSecrets(),
  };
}

interface Options {
  readonly nodes: string;
  readonly port: string;
  readonly database?: string | undefined;
  readonly nats?: string | undefined;
  readonly balancer?: string | undefined;
}

function optionsIn(args: string[]): Options {
  const text = { type: "string" } as const;
  const [nodes, port] = [
    { ...text, default: "3" },
    { ...text, default: "3003" },
  ];
  try {
    return parseArgs({ args, options: { nodes, port, database: text, nats: text, balancer: text } }).values;
  } catch (cause) {
    throw new Refusal((cause as Error).message);
  }
}

function isBalancer(name: string): name is BalancerName {
  return BALANCERS.some((known) => known === name);
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Refusal(`${option} takes a whole number from ${least} to ${most}`);
}

/** Checks that the port can be used; 0 stands for any free port. */
async function usable(port: number): Promise<number> {
  if (port === 0) return freePort();
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Refusal(`port ${port} cannot be used (${code}): choose another with --port`);
  }
  server.close();
  await once(server, "close");
  return port;
}

/** The secrets for a database that the user names: it keeps data that is sealed with them, so they must be the same next time. */
function keptSecrets(): Readonly<Record<string, string>> {
  const { ZAGUAN_CLUSTER_SECRET: secret, ZAGUAN_SECRET_KEY: key } = process.env;
  if (secret) return { ZAGUAN_CLUSTER_SECRET: secret, ...(key && { ZAGUAN_SECRET_KEY: key }) };
  throw new Refusal(
    "--database needs ZAGUAN_CLUSTER_SECRET, since the database keeps what is sealed with it: openssl rand -base64 32 prints one",
  );
}
