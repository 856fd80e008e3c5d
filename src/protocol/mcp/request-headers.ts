/** The headers in which a request of a stateless revision repeats parts of its body, for requests that we send. Pure. */
import { memberOf } from "../json/scan.ts";
import { membersOf } from "../json/text-edit.ts";
import { memberString } from "../json-rpc/message.ts";
import { encodeHeader, NAMED_BY, type ParamHeader, paramHeaderValues } from "./headers.ts";

/** @param wanted the arguments that the tool wants repeated, if a tool is called */
export function requestHeaders(
  method: string,
  params: string,
  version: string,
  wanted: readonly ParamHeader[] = [],
): Record<string, string> {
  const headers: Record<string, string> = { "mcp-protocol-version": version, "mcp-method": encodeHeader(method) };
  const key = NAMED_BY[method];
  if (key === undefined) return headers;
  const members = membersOf(params);
  const name = memberString(params, members, key);
  if (name !== undefined) headers["mcp-name"] = encodeHeader(name);
  const args = wanted.length === 0 ? undefined : memberOf(members, "arguments");
  return args ? { ...headers, ...paramHeaderValues(wanted, JSON.parse(params.slice(args.start, args.end))) } : headers;
}
