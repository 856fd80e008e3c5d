/** What every request of revision 2026-07-28 says of itself in `params._meta`, and every result of its server. */
import { refuse } from "./fixture-connection.mjs";
import { serverInfo } from "./fixture-definitions.mjs";

const PREFIX = "io.modelcontextprotocol/";

export const REVISION = "2026-07-28";
export const VERSION = `${PREFIX}protocolVersion`;
export const CLIENT_CAPABILITIES = `${PREFIX}clientCapabilities`;
export const LOG_LEVEL = `${PREFIX}logLevel`;
export const SUBSCRIPTION_ID = `${PREFIX}subscriptionId`;
export const TASKS = `${PREFIX}tasks`;

const SERVER_INFO = `${PREFIX}serverInfo`;
const CACHED_MS = 1_000;
const CACHEABLE = [
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
];

/** The envelope, or a refusal of a request that has none. */
export function envelopeOf({ method, params = {} }) {
  const meta = params._meta ?? {};
  // Who greets us as older revisions do should learn what we speak.
  if (method === "initialize" && meta[VERSION] === undefined) refuseVersion(params.protocolVersion);
  const missing = [VERSION, CLIENT_CAPABILITIES].filter((key) => meta[key] === undefined);
  if (missing.length > 0) refuse(-32602, `Missing in _meta: ${missing.join(", ")}`, { missing });
  return meta;
}

export function checkVersion(meta) {
  if (meta[VERSION] !== REVISION) refuseVersion(meta[VERSION]);
}

/** Refuses a request that needs what its client did not declare. */
export function requireCapabilities(requiredCapabilities) {
  refuse(-32021, "The client did not declare a capability that this needs", { requiredCapabilities });
}

/** The result with what this revision asks of every result. */
export function stamped(method, result) {
  const cache = CACHEABLE.includes(method) && { ttlMs: CACHED_MS, cacheScope: "public" };
  return { resultType: "complete", ...cache, ...result, _meta: { ...result._meta, [SERVER_INFO]: serverInfo } };
}

function refuseVersion(requested) {
  refuse(-32022, "Unsupported protocol version", { supported: [REVISION], requested: String(requested ?? "") });
}
