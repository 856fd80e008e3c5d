/** Serves one client on our own standard input and output, in official MCP or in the line protocol of seed 000. */

import type { Principal } from "../core/call.ts";
import type { Gateway, Servers } from "../core/gateway.ts";
import type { OffersGateway } from "../core/offers.ts";
import { localForDoors } from "../core/shared/for-doors.ts";
import { serveLines } from "../doors/line-json.ts";
import { CatalogueTarget } from "../doors/mcp/catalogue-target.ts";
import { StatelessCodec } from "../doors/mcp/stateless/codec.ts";
import type { McpTarget } from "../doors/mcp/target.ts";
import { Targets } from "../doors/mcp/targets.ts";
import { StdioDoor } from "../doors/stdio.ts";
import { openOwnStdio } from "../link/own-stdio.ts";
import type { Language } from "../messages/catalogue.ts";
import type { ScanLimits } from "../protocol/json/scan.ts";
import { LOCAL } from "./ordered-calls.ts";
import { randomToken } from "./system.ts";

/** The version of the line protocol, as seed 000 announces it. */
const LINE_VERSION = "0.1.0";

/** How many subscriptions the client may have, and how many of its calls may wait for it. */
const LIMIT = 100;

interface OwnStdioOptions {
  readonly gateway: Gateway;
  /** As whom the client calls; unless given, as the one who started us. */
  readonly principal?: Principal | undefined;
  readonly language: Language;
  readonly limits: ScanLimits & { readonly lineBytes: number };
  report(cause: unknown): string;
}

interface McpOnStdioOptions extends OwnStdioOptions {
  /** Prompts and resources. */
  readonly offers: OffersGateway;
  /** This server alone, untouched, in the place of the gateway. */
  readonly server?: { readonly servers: Servers; readonly source: string } | undefined;
}

/** Resolves when the client has ended its input and every request has its answer. */
export async function serveMcpOnStdio(options: McpOnStdioOptions): Promise<void> {
  const { limits, report, principal = LOCAL } = options;
  const onNoise = (): void => door.tooLong(limits.lineBytes);
  const stdio = openOwnStdio({ onMessage: (line) => door.receive(line), onNoise }, limits);
  const write = (message: string): void => void stdio.send(message).catch(() => {});
  const stateless = new StatelessCodec({
    report,
    limit: () => LIMIT,
    suspended: localForDoors(randomToken).openSuspended("stdio"),
  });
  const door = new StdioDoor({ ...options, principal, target: targetOf(options), stateless, write });
  await stdio.ended;
  await Promise.race([door.finish(), stdio.closed]);
  door.close();
  stateless.close();
  await stdio.close();
}

/** Resolves at `quit` or at the end of the input, when every call has its answer. */
export async function serveLinesOnStdio(options: OwnStdioOptions): Promise<void> {
  const { gateway, principal = LOCAL, language, limits } = options;
  const quit = Promise.withResolvers<void>();
  const stdio = openOwnStdio(
    {
      onMessage: (line) => {
        door.receive(line);
        if (door.finished) quit.resolve();
      },
      onNoise: () => door.tooLong(limits.lineBytes),
    },
    limits,
  );
  const write = (line: string): void => void stdio.send(line).catch(() => {});
  // One line after the other, as the seed says: a lamp that was switched on is on for whoever asks in the next line.
  const order = { oneAtATime: true };
  const door = serveLines({ gateway, principal, language, version: LINE_VERSION, limits, write, ...order });
  await door.ready();
  await Promise.race([stdio.ended, quit.promise]);
  await Promise.race([door.drain(), stdio.closed]);
  await stdio.close();
}

function targetOf({ gateway, offers, server }: McpOnStdioOptions): McpTarget {
  const options = { gateway, offers, door: "stdio" };
  return server ? new Targets({ ...options, servers: server.servers }).of(server.source) : new CatalogueTarget(options);
}
