/** Asks a server for its tools by a connection of its own, which ends with the answer: the hub's stays as it is. */
import type { ServerConfig } from "../config/types.ts";
import type { Hub } from "../core/hub.ts";
import { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { revisionOf, type ServerFace } from "../protocol/mcp/face.ts";
import { reasonOf } from "../registry/failures.ts";
import type { OnStep, Probed, Prober } from "../registry/ports.ts";
import { prepareServer, type ServerSettings } from "../sources/index.ts";
import type { Connection } from "../sources/source.ts";
import { loneContext } from "./lone-context.ts";

export function makeProber(hub: Hub, settings: () => ServerSettings): Prober {
  return {
    // A program is not started a second time only to be asked: the first start may be an installation.
    probe: (name, server, signal, onStep) =>
      server && !(server.command !== undefined && hub.has(name))
        ? askAlone(name, server, settings(), signal, onStep)
        : askAttached(hub, name, signal, onStep),
  };
}

async function askAlone(
  name: string,
  server: ServerConfig,
  settings: ServerSettings,
  signal: CancelSignal,
  onStep: OnStep,
): Promise<Probed> {
  const { kind, options } = prepareServer(server, settings);
  const connection = await kind.connect(options, loneContext(name, onStep), signal).catch((cause) => {
    // Kinds with one way tell of it by their failure alone.
    if (kind.kind !== "http") onStep(kind.kind, reasonIn(cause));
    throw cause;
  });
  try {
    const tools = await connection.listTools(signal);
    const transport = transportOf(connection) ?? kind.kind;
    onStep(transport, `${tools.length} tools`);
    return { tools, transport, ...said(connection.face) };
  } catch (cause) {
    onStep(transportOf(connection) ?? kind.kind, `it did not list its tools: ${reasonIn(cause)}`);
    throw cause;
  } finally {
    await connection.close();
  }
}

/** What stands in the configuration file has its connection there. */
async function askAttached(hub: Hub, name: string, signal: CancelSignal, onStep: OnStep): Promise<Probed> {
  const source = hub.sources().find((one) => one.name === name);
  if (!source) throw new ZaguanError("SOURCE_UNAVAILABLE", { params: { source: name, reason: "it is not attached" } });
  try {
    const tools = await source.listTools(signal);
    onStep(source.kind, `${tools.length} tools`);
    return { tools, transport: source.kind, ...said(source.currentFace?.()?.face) };
  } catch (cause) {
    onStep(source.kind, reasonIn(cause));
    throw cause;
  }
}

function said(face: ServerFace | undefined): Pick<Probed, "revision" | "serverInfo"> {
  return { revision: revisionOf(face), serverInfo: face?.serverInfo };
}

function transportOf(connection: Connection): string | undefined {
  return (connection as { readonly transport?: string }).transport;
}

/** A server's own error message is not repeated: it may hold what it was given. */
function reasonIn(cause: unknown): string {
  const relayed = cause instanceof ZaguanError ? cause.details.relayed : undefined;
  return relayed ? `it answered with JSON-RPC error ${relayed.code}` : reasonOf(cause);
}
