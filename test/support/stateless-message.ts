/** Messages of the revision without a handshake, as its clients write them where there are no headers. */

export const STATELESS = "2026-07-28";
export const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

export interface Params {
  readonly _meta?: object;
  readonly [name: string]: unknown;
}

/** What every request says of its client. */
export function envelope(capabilities: object = {}, version: unknown = STATELESS): Record<string, unknown> {
  return {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  };
}

/** `_meta` is added to the envelope, or in its place what it says of the same. */
export function stateless(id: unknown, method: string, { _meta, ...params }: Params = {}): object {
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: { ...envelope(), ..._meta } } };
}

export function cancelled(requestId: unknown): object {
  return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
}
