/** Commands for a shell, in which nothing that is quoted means anything. */
import { addressesOf, clientName, type Place } from "./place.ts";

export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A header between double quotes is read alike by every shell, Windows' too: a key has nothing special in it. */
export function claudeCommand(place: Place): string {
  const { mcp } = addressesOf(place.base, place.target);
  const header = place.key === undefined ? "" : ` --header "Authorization: Bearer ${place.key}"`;
  return `claude mcp add --transport http ${clientName(place.target)} ${mcp}${header}`;
}

/** One request of bare JSON-RPC, as every address of MCP takes it. */
export function curlCommand(place: Place, method: string, params: object): string {
  const { mcp } = addressesOf(place.base, place.target);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return [`curl ${mcp}`, ...curlHeaders(place.key), `-d ${quoted(body)}`].join(" \\\n  ");
}

function curlHeaders(key: string | undefined): readonly string[] {
  const type = "-H 'content-type: application/json'";
  return key === undefined ? [type] : [type, `-H ${quoted(`authorization: Bearer ${key}`)}`];
}

export function stdioCommand({ target: { kind, name } }: Place): string {
  return kind === "hub" ? "zaguan stdio" : `zaguan stdio --${kind} ${quoted(name)}`;
}
