/**
 * A TCP proxy whose connections can be cut like a network partition: no data passes and no connection is closed. After healing, the
 * data that was under way arrives late, as with TCP retransmission.
 */
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";

export interface Severable {
  readonly port: number;
  /** Stops all data, on open connections and on new ones. */
  cut(): void;
  heal(): void;
  close(): Promise<void>;
}

export async function severable(port: number): Promise<Severable> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const waiting = new Set<Socket>();
  let isCut = false;
  const join = (client: Socket): void => {
    waiting.delete(client);
    const server = dial(port, "127.0.0.1");
    const pair = [client, server] as const;
    pairs.add(pair);
    client.pipe(server);
    server.pipe(client);
    for (const socket of pair)
      socket
        .setNoDelay(true)
        .on("error", () => {})
        .on("close", () => {
          pairs.delete(pair);
          for (const each of pair) each.destroy();
        });
  };
  const proxy = createServer({ pauseOnConnect: true }, (client) => {
    client.on("error", () => {});
    if (!isCut) return join(client);
    waiting.add(client);
    client.on("close", () => waiting.delete(client));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const [client, server] of pairs) {
        client.unpipe(server).pause();
        server.unpipe(client).pause();
      }
    },
    heal: () => {
      isCut = false;
      for (const [client, server] of pairs) {
        client.pipe(server);
        server.pipe(client);
      }
      for (const client of waiting) join(client);
    },
    close: async () => {
      for (const socket of [...pairs].flat()) socket.destroy();
      for (const socket of waiting) socket.destroy();
      await new Promise<unknown>((resolve) => proxy.close(resolve));
    },
  };
}
