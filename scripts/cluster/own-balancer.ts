/**
 * A TCP load balancer for machines that have neither HAProxy nor nginx: assigns connections to the nodes in turn, and skips a node
 * whose `/health` does not answer 200. It does not parse HTTP, so that a connection stays with its node.
 */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

const CHECK_MS = 1_000;

export interface OwnBalancer {
  stop(): Promise<void>;
}

export async function startOwnBalancer(port: number, nodes: readonly number[]): Promise<OwnBalancer> {
  const healthy = new Set(nodes);
  const open = new Set<Socket>();
  let turn = 0;
  /** All nodes in the order in which they are tried: round robin, unhealthy ones last. */
  const inTurn = (): number[] => {
    const first = turn++ % nodes.length;
    const order = [...nodes.slice(first), ...nodes.slice(0, first)];
    return [...order.filter((node) => healthy.has(node)), ...order.filter((node) => !healthy.has(node))];
  };
  const server = createServer((client) => {
    open.add(client.on("close", () => open.delete(client)));
    client.on("error", () => client.destroy());
    join(client, inTurn());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const timer = setInterval(() => {
    for (const node of nodes) void isHealthy(node).then((isIt) => (isIt ? healthy.add(node) : healthy.delete(node)));
  }, CHECK_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, "close");
    },
  };
}

/** Connects the client to the first node that accepts. The next one is tried only if nothing was sent. */
function join(client: Socket, [port, ...others]: readonly number[]): void {
  if (port === undefined || client.destroyed) return void client.destroy();
  const node = connect(port, "127.0.0.1");
  const next = (): void => join(client, others);
  node.once("error", next);
  node.once("connect", () => {
    node.off("error", next).on("error", () => client.destroy());
    node.on("close", () => client.destroy());
    client.on("close", () => node.destroy());
    client.pipe(node).pipe(client);
  });
}

async function isHealthy(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(CHECK_MS);
  return fetch(`http://127.0.0.1:${port}/health`, { signal }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );
}
