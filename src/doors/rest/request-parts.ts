/** Body and query of a request as values, before anybody has looked at what they say. */

import { type ScanLimits, scanJson } from "../../protocol/json/scan.ts";
import { scanError } from "../../protocol/json-rpc/message.ts";
import type { Exchange } from "../door.ts";

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
  for (const [name, value] of parametersOf(url)) {
    const before = values[name];
    values[name] = before === undefined ? value : [...[before].flat(), value];
  }
  return values;
}

export function parametersOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
}

export function hasNoBody({ request }: Exchange): boolean {
  const { headers } = request;
  return headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
}
