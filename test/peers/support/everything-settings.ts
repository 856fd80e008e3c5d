/**
 * server-everything behind a hub, over each of its three transports and at both addresses under which the hub offers it;
 * and beside it the same server reached directly, so that what comes through can be held against what it says itself.
 */
import { after, before, describe } from "node:test";
import { type SpawnedZaguan, spawnZaguan } from "../../support/spawn-zaguan.ts";
import { CAN_BE_ASKED } from "./answers.ts";
import { type ConnectOptions, connectV1, type PeerClient, type Target } from "./official-clients.ts";
import { everything, everythingOverSse, type ListeningServer, listeningEverything } from "./official-servers.ts";

export interface Setting {
  /** Through the hub. */
  readonly through: PeerClient;
  /** Without it. */
  readonly direct: PeerClient;
  /** Another client of the hub. */
  another(options?: ConnectOptions): Promise<PeerClient>;
}

/** How it is reached, and what the configuration says of that. */
interface Way {
  readonly name: string;
  readonly type: string;
  listen?(): Promise<ListeningServer>;
}

const WAYS: readonly Way[] = [
  { name: "stdio", type: "stdio" },
  { name: "Streamable HTTP", type: "http", listen: () => listeningEverything() },
  { name: "HTTP+SSE", type: "sse", listen: everythingOverSse },
];

export const ONE_SERVER = "/servers/everything/mcp";
export const WHOLE_CATALOGUE = "/mcp";

/** Runs the tests for every way and every place. */
export function forEverything(tests: (setting: () => Setting, place: string) => void): void {
  for (const way of WAYS) {
    describe(`server-everything over ${way.name}`, () => {
      let listening: ListeningServer | undefined;
      let hub: SpawnedZaguan;
      let direct: PeerClient;
      before(async () => {
        listening = await way.listen?.();
        const { type } = way;
        const entry = listening ? { url: listening.url, zaguan: { allowPrivate: true } } : everything();
        hub = await spawnZaguan({ config: { mcpServers: { everything: { type, ...entry } } } });
        const target: Target = listening?.url ?? everything();
        direct = await connectV1(target, CAN_BE_ASKED);
      });
      after(async () => {
        await direct?.close();
        await hub?.stop();
        await listening?.close();
      });
      for (const place of [ONE_SERVER, WHOLE_CATALOGUE]) {
        describe(`at ${place}`, () => {
          let through: PeerClient;
          const another = (options: ConnectOptions = CAN_BE_ASKED) => connectV1(`${hub.url}${place}`, options);
          before(async () => {
            through = await another();
          });
          after(() => through?.close());
          tests(() => ({ through, direct, another }), place);
        });
      }
    });
  }
}

/** Some of its resources name the second in which they were made. */
export function timeless(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, text) => (typeof text === "string" ? withoutTime(text) : text)));
}

function withoutTime(text: string): string {
  const plain = /^[A-Za-z0-9+/=]{40,}$/.test(text) ? Buffer.from(text, "base64").toString() : text;
  return plain.replace(/created at .*/, "created then");
}
