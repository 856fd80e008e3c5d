/** An API whose description has to be fetched or read first: with its first connection, and with every later one. */
import type { SourceKind } from "../source.ts";
import type { ApiOptions } from "./operation.ts";
import { makeApiKind } from "./source.ts";

type LoadOptions = () => Promise<ApiOptions>;

/** `baseUrl` is what is known of its address beforehand. */
export function makeLateApiKind(baseUrl: string): SourceKind<LoadOptions> {
  const { kind, concurrency, trusted, translate, connect } = makeApiKind();
  return {
    kind,
    concurrency,
    trusted,
    ...(translate && { translate }),
    connect: async (load, context, signal) => connect(await load(), context, signal),
    about: () => (baseUrl === "" ? {} : { url: baseUrl }),
  };
}
