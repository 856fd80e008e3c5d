/** The body and the query of a REST request, before they are checked against a schema, and the address it came to. */
import { ZaguanError } from "../../errors.ts";
import { type Member, type ScanLimits, scanJson } from "../../protocol/json/scan.ts";
import { scanError } from "../../protocol/json-rpc/message.ts";
import type { Exchange } from "../door.ts";
import { queryOf } from "../http/routes.ts";

/** No body at all counts as an empty object, so that the caller is told which fields it needs. */
export async function readJson(exchange: Exchange, limits: ScanLimits): Promise<unknown> {
  if (hasNoBody(exchange)) return {};
  const text = await exchange.readBody();
  const scan = scanJson(text, limits);
  if (!scan.ok) throw scanError(scan);
  return JSON.parse(text);
}

/** A parameter that comes twice is a list, which fits no schema that expects one value. */
export function readQuery(url: string): Readonly<Record<string, string | string[]>> {
  const values: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of queryOf(url)) {
    const before = values[name];
    values[name] = before === undefined ? value : [...[before].flat(), value];
  }
  return values;
}

function hasNoBody({ request }: Exchange): boolean {
  const { headers } = request;
  return headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
}

/** The text of an object, of which parts are passed on with the characters they were written in. */
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

/** The URL by which the caller reached us. `Host` has been checked; only a proxy before us knows whether it speaks TLS. */
export function addressOf(exchange: Exchange): string {
  const scheme = exchange.header("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${exchange.header("host")}`;
}
