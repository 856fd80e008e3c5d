/** Looking at a server before it is registered, and registering it. */
import type { GivenServer, ServerPreview } from "../../../contract/server.ts";
import { rest } from "../../kit/api.ts";
import { keptRecord, type ServerRecord } from "./types.ts";
import { begin } from "./work.ts";

/** Rejects what may not be registered; that it was not reached is part of the answer. */
export function preview(request: GivenServer, signal: AbortSignal): Promise<ServerPreview> {
  return rest.previewServer({ body: request }, signal);
}

/** Its tools are asked for at once; nobody has to wait for that here. */
export async function register(request: GivenServer): Promise<ServerRecord> {
  const record = keptRecord(await rest.createServer({ body: request }));
  void begin(record.name, "discover");
  return record;
}
