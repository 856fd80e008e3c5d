/** A REST API as a kind of source: its operations are its tools. */
import type { SourceKind } from "../source.ts";
import { ApiConnection } from "./connection.ts";
import type { ApiOptions } from "./operation.ts";
import type { Pick } from "./result.ts";

/** Without a `pick`, `_pick` is not offered. */
export function makeApiKind(pick?: Pick): SourceKind<ApiOptions> {
  return {
    kind: "api",
    concurrency: 16,
    // The only annotations are our own, made of the HTTP method.
    trusted: true,
    connect: async (options, context) => new ApiConnection(options, context, pick),
    about: ({ baseUrl }) => ({ url: withoutQuery(baseUrl) }),
  };
}

/** Some write a key there. */
function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1).join("");
}
