/** A device that dialled in: we are the client of its MCP server, for as long as its socket lives. */

import type { CancelSignal } from "../../light-abort.ts";
import type { LinkHandlers } from "../../link/link.ts";
import { openRedacted } from "../../link/redacted-link.ts";
import type { EraMemory } from "../mcp-client/era-memory.ts";
import { connectPipe } from "../mcp-client/pipe.ts";
import type { SourceKind, SourceRequest } from "../source.ts";
import type { DeviceChannel } from "./channel.ts";
import { withPictures } from "./pictures.ts";
import { sharedTools } from "./shared-tools.ts";

interface DeviceOptions {
  readonly channel: DeviceChannel;
  readonly memory: EraMemory;
  /** Where the device sends pictures to have them explained. */
  readonly vision?: { readonly url: string; readonly token: string } | undefined;
}

export const device: SourceKind<DeviceOptions> = {
  kind: "device",
  // Small ones do one thing after another, and drop what they have no room for.
  concurrency: 4,
  trusted: false,
  isMcp: true,
  connect: async ({ channel, memory, vision }, context, signal) => {
    const given = vision ? [vision.token] : [];
    const open = (handlers: LinkHandlers) => openRedacted(given, handlers, async (clean) => channel.open(clean));
    const capabilities = vision && { vision };
    const options = { open, memory, asksForEra: false, capabilities };
    const connection = await connectPipe(options, context, signal);
    const { listTools, request } = connection;
    return Object.assign(connection, {
      listTools: async (wanted: CancelSignal) => sharedTools(await listTools(wanted)),
      request: (asked: SourceRequest) =>
        asked.method === "tools/call" ? request(asked).then(withPictures) : request(asked),
    });
  },
};
