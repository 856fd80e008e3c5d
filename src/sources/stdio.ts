/** An MCP server that we start as a child process and talk to over its standard input and output. */
import { ZaguanError } from "../errors.ts";
import { openChildLink } from "../link/child-process.ts";
import { tellableEnding } from "./ending.ts";
import { McpClient } from "./mcp-client.ts";
import { NoiseLimit } from "./noise-limit.ts";
import type { ConnectContext, Connection, SourceKind } from "./source.ts";

export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  readonly lineBytes: number;
}

export const stdio: SourceKind<StdioOptions> = { kind: "stdio", concurrency: 64, trusted: false, connect };

async function connect(options: StdioOptions, context: ConnectContext, signal: AbortSignal): Promise<Connection> {
  const noise = new NoiseLimit(context, () => void link.close());
  const client = new McpClient(context, (message, messageSignal) => link.send(message, messageSignal));
  const link = await openChildLink(
    { ...options, name: context.name },
    {
      onMessage: (message) => client.peer.receive(message),
      onLog: (line) => context.onLog(line),
      onNoise: (line) => noise.add(line),
    },
  );
  void link.closed.then((reason) => client.peer.end(tellableEnding(reason)));
  client.onNoise = (line) => noise.add(line);
  const closed = link.closed.then((reason) => noise.ending(reason));
  try {
    await client.initialize(signal);
    client.initialized();
  } catch (error) {
    await link.close();
    throw startFailure(error, await closed, context.name);
  }
  return {
    listTools: (listSignal) => client.listTools(listSignal),
    request: (request) => client.request(request),
    greeting: client.greeting,
    closed,
    close: () => link.close(),
  };
}

/** A child that ended by itself says more about the failure than the handshake that it broke off. */
function startFailure(error: unknown, ending: string, source: string): unknown {
  if (ending === "stopped") return error;
  const params = { source, reason: ending };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause: error });
}
