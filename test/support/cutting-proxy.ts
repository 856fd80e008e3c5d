/** A wire to a server that is cut at a chosen moment: what was asked gets there, and its answer does not come back. */
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from "node:net";

interface CuttingProxy {
  readonly port: number;
  /** It cuts at the next sight of the word. */
  arm(): void;
  close(): Promise<void>;
}

/** Passes all on until it is armed and sees the word on its way to the server: that still gets through, the answer does not. */
export async function cuttingProxy(port: number, word: string): Promise<CuttingProxy> {
  let isArmed = false;
  const sockets = new Set<Socket>();
  const proxy: Server = createServer((client) => {
    const upstream = dial(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => [client, upstream].forEach((each) => void each.destroy()));
    }
    client.on("data", (chunk) => {
      upstream.write(chunk);
      if (!isArmed || !chunk.includes(word)) return;
      isArmed = false;
      upstream.unpipe(client);
      client.destroy();
    });
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    arm: () => {
      isArmed = true;
    },
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise<unknown>((resolve) => proxy.close(resolve));
    },
  };
}
