/** The body of a request as the text of an object, of which parts are passed on with the characters they were written in. */
import { ZaguanError } from "../../errors.ts";
import { type Member, type ScanLimits, scanJson } from "../../protocol/json/scan.ts";
import { scanError } from "../../protocol/json-rpc/message.ts";
import type { Exchange } from "../door.ts";
import { hasNoBody } from "./request-parts.ts";

export interface JsonObject {
  readonly text: string;
  readonly members: readonly Member[];
}

/** No body at all counts as an empty object. */
export async function readObject(exchange: Exchange, limits: ScanLimits): Promise<JsonObject> {
  const text = hasNoBody(exchange) ? "{}" : (await exchange.readBody()).trim();
  const scan = scanJson(text, limits);
  if (!scan.ok) throw scanError(scan);
  if (scan.kind !== "object") throw new ZaguanError("BAD_REQUEST", { params: { reason: "a JSON object is expected" } });
  return { text, members: scan.members };
}
