/** Serves one client on our own standard input and output, in official MCP or in the line protocol of seed 000. */
import type { Principal } from "../core/call.ts";
import type { Gateway } from "../core/gateway-contract.ts";
import { serveLines } from "../doors/line-json.ts";
import { StdioDoor } from "../doors/stdio.ts";
import { openOwnStdio } from "../link/own-stdio.ts";
import type { Language } from "../messages/catalogue.ts";
import type { ScanLimits } from "../protocol/json/scan.ts";

/** The version of the line protocol, as seed 000 announces it. */
const LINE_VERSION = "0.1.0";

const LOCAL: Principal = { id: "local", kind: "local", name: "local" };

export interface OwnStdioOptions {
  readonly gateway: Gateway;
  readonly language: Language;
  readonly limits: ScanLimits & { readonly lineBytes: number };
  report(cause: unknown): string;
}

/** Resolves when the client has ended its input and every request has its answer. */
export async function serveMcpOnStdio(options: OwnStdioOptions): Promise<void> {
  const { limits } = options;
  const onNoise = (): void => door.tooLong(limits.lineBytes);
  const stdio = openOwnStdio({ onMessage: (line) => door.receive(line), onNoise }, limits);
  const write = (message: string): void => void stdio.send(message).catch(() => {});
  const door = new StdioDoor({ ...options, principal: LOCAL, write });
  await stdio.ended;
  await Promise.race([door.drain(), stdio.closed]);
  door.close();
  await stdio.close();
}

/** Resolves at `quit` or at the end of the input, when every call has its answer. */
export async function serveLinesOnStdio(options: OwnStdioOptions): Promise<void> {
  const { gateway, language, limits } = options;
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
  const door = serveLines({ gateway, principal: LOCAL, language, version: LINE_VERSION, limits, write, ...order });
  await door.ready();
  await Promise.race([stdio.ended, quit.promise]);
  await Promise.race([door.drain(), stdio.closed]);
  await stdio.close();
}
