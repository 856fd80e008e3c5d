/** How each client writes a server down, the links by which some take one over, and commands for a shell. */
import { quoted } from "../../kit/copy.ts";
import { variable } from "./guide.ts";
import { addressesOf, clientName, isLoopback, type Place, type Target } from "./place.ts";

/** Cursor, LM Studio and many others. */
export function httpEntry(place: Place): object {
  return { url: urlOf(place), ...headersOf(place.key) };
}

/** VS Code and Claude Code want to be told that it is HTTP. */
function typedEntry(place: Place): object {
  return { type: "http", ...httpEntry(place) };
}

/** For clients that only start programs: `mcp-remote` stands between. */
export function remoteEntry(place: Place): object {
  const url = urlOf(place);
  const plain = url.startsWith("http:") && !isLoopback(place.base) ? ["--allow-http"] : [];
  // Not a space in the arguments: on Windows they would be torn apart on their way.
  const header = place.key === undefined ? [] : ["--header", `Authorization:${variable("AUTHORIZATION")}`];
  const env = place.key === undefined ? {} : { env: { AUTHORIZATION: `Bearer ${place.key}` } };
  return { command: "npx", args: ["-y", "mcp-remote", url, ...plain, ...header], ...env };
}

/** A hub of its own for the client, from the folder in which Zaguan is. */
export function stdioEntry(target: Target): object {
  const narrowed = target.kind === "hub" ? [] : [`--${target.kind}`, target.name];
  const run = ["run", "--silent", "--prefix", "/path/to/zaguan", "zaguan", "--", "stdio"];
  return { command: "npm", args: [...run, ...narrowed] };
}

/** In a file that others may see, the key is asked for and not written down. */
export function vsCodeFile(place: Place): object {
  const name = clientName(place.target);
  if (place.key === undefined) return { servers: { [name]: typedEntry(place) } };
  const id = `${name}-key`;
  const input = { type: "promptString", id, description: "Zaguan: API key", password: true };
  const server = typedEntry({ ...place, key: variable(`input:${id}`) });
  return { inputs: [input], servers: { [name]: server } };
}

export function cursorLink(place: Place): string {
  return `cursor://anysphere.cursor-deeplink/mcp/install?${installQuery(place)}`;
}

export function lmStudioLink(place: Place): string {
  return `lmstudio://add_mcp?${installQuery(place)}`;
}

export function vsCodeLink(place: Place): string {
  return `vscode:mcp/install?${encodeURIComponent(vsCodeServer(place))}`;
}

/** The same for its command line. */
export function vsCodeServer(place: Place): string {
  return JSON.stringify({ name: clientName(place.target), ...typedEntry(place) });
}

/** A node of n8n, to be pasted onto its canvas; credentials are n8n's own. */
export function n8nNodes(place: Place): object {
  const parameters = {
    endpointUrl: urlOf(place),
    serverTransport: "httpStreamable",
    authentication: place.key === undefined ? "none" : "bearerAuth",
    options: {},
  };
  const type = "@n8n/n8n-nodes-langchain.mcpClientTool";
  const node = { parameters, type, typeVersion: 1.1, position: [0, 0], name: clientName(place.target) };
  return { nodes: [node], connections: {} };
}

export function urlOf({ base, target }: Place): string {
  return addressesOf(base, target).mcp;
}

function headersOf(key: string | undefined): object {
  return key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } };
}

function installQuery(place: Place): string {
  const config = base64(JSON.stringify(httpEntry(place)));
  return `name=${encodeURIComponent(clientName(place.target))}&config=${encodeURIComponent(config)}`;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
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
