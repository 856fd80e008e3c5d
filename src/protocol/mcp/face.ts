/**
 * What an MCP server says of itself, whichever way it says it (the answer to `initialize` or to `server/discover`), and how
 * that is told again to a client of either era. Pure.
 */
import { isObject } from "../../contract/rules.ts";
import { EMPTY_OBJECT, Payload } from "../json/payload.ts";
import { withMember } from "../json/text-edit.ts";
import { SERVER_INFO } from "./envelope.ts";
import { LATEST_MODERN_VERSION } from "./versions.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface ServerFace {
  readonly capabilities: Fields;
  readonly serverInfo: Fields | undefined;
  readonly instructions: string | undefined;
  /** The whole answer to `initialize`; undefined of a server without a handshake. */
  readonly greeting: Payload | undefined;
  /** The whole answer to `server/discover`; undefined of a server with a handshake. */
  readonly discovery: Payload | undefined;
}

/** The tasks of the handshake revisions and of the stateless ones share a name and nothing else. */
const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

export function faceOfInitialize(result: Payload): ServerFace {
  const greeting = fields(result.value);
  const face = common(greeting ?? {}, fields(greeting?.["serverInfo"]));
  return { ...face, greeting: greeting ? result : EMPTY_OBJECT, discovery: undefined };
}

export function faceOfDiscovery(result: Payload): ServerFace {
  const discovery = fields(result.value);
  const serverInfo = fields(fields(discovery?.["_meta"])?.[SERVER_INFO]);
  const face = common(discovery ?? {}, serverInfo);
  return { ...face, greeting: undefined, discovery: discovery ? result : EMPTY_OBJECT };
}

/** The revision that is spoken with it; undefined where none was agreed on, as with a source that speaks no MCP. */
export function revisionOf(face: ServerFace | undefined): string | undefined {
  // Without a handshake every request names its revision by itself: ours names the newest.
  if (face?.discovery) return LATEST_MODERN_VERSION;
  const version = fields(face?.greeting?.value)?.["protocolVersion"];
  return typeof version === "string" ? version : undefined;
}

/** The answer to a client's `initialize`. */
export function initializeResult(face: ServerFace, protocolVersion: string, self: Fields): Payload {
  if (face.greeting) return withValue(face.greeting, "protocolVersion", protocolVersion);
  const { serverInfo = self, instructions } = face;
  const capabilities = withoutTasks(face.capabilities);
  return Payload.ofValue({ protocolVersion, capabilities, serverInfo, ...given({ instructions }) });
}

/** The answer to a client's `server/discover`. */
export function discoverResult(face: ServerFace, supportedVersions: readonly string[], ttlMs: number): Payload {
  if (face.discovery) return withValue(face.discovery, "supportedVersions", supportedVersions);
  const { serverInfo, instructions } = face;
  const capabilities = withoutTasks(face.capabilities);
  const meta = serverInfo && { [SERVER_INFO]: serverInfo };
  const told = { resultType: "complete", supportedVersions, capabilities, ...given({ instructions, _meta: meta }) };
  return Payload.ofValue({ ...told, ttlMs, cacheScope: "private" });
}

/** All else stays as it was written. */
function withValue(answer: Payload, key: string, value: unknown): Payload {
  return Payload.ofText(withMember(answer.text, key, JSON.stringify(value)));
}

function common(answer: Fields, serverInfo: Fields | undefined) {
  const { instructions } = answer;
  return {
    capabilities: fields(answer["capabilities"]) ?? {},
    serverInfo,
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}

function withoutTasks({ tasks: _, ...capabilities }: Fields): Fields {
  const extensions = fields(capabilities["extensions"]);
  if (!extensions || !(TASKS_EXTENSION in extensions)) return capabilities;
  const { [TASKS_EXTENSION]: __, ...others } = extensions;
  return { ...capabilities, extensions: others };
}

function fields(value: unknown): Fields | undefined {
  return isObject(value) ? value : undefined;
}

function given(members: Fields): Fields {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
