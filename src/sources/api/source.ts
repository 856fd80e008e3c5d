/** A REST API as a kind of source: its operations are its tools. */
import { maskedAddress } from "../../security/entry-secrets.ts";
import type { SourceKind } from "../source.ts";
import { jsonTextReader, type LoadPicker } from "./arguments.ts";
import { ApiConnection } from "./connection.ts";
import type { ApiOptions } from "./operation.ts";
import { translated } from "./tools.ts";

export function makeApiKind(loadPicker: LoadPicker = ourPicker): SourceKind<ApiOptions> {
  return {
    kind: "api",
    look: {
      title: { en: "REST API", es: "API REST", fr: "API REST", zh: "REST API" },
      icon: "M8 4H7a2 2 0 0 0-2 2v4l-2 2 2 2v4a2 2 0 0 0 2 2h1M16 4h1a2 2 0 0 1 2 2v4l2 2-2 2v4a2 2 0 0 1-2 2h-1",
    },
    concurrency: 16,
    // The only annotations are our own, made of the HTTP method.
    trusted: true,
    connect: async (options, context) => new ApiConnection(options, context, loadPicker),
    translate: translated,
    normalizeArguments: ({ operations }) => jsonTextReader(operations),
    about: ({ baseUrl }) => ({ url: maskedAddress(baseUrl) }),
  };
}

/** Loaded at the first `_pick`: most APIs never see one. */
const ourPicker: LoadPicker = async () => (await import("./jsonpath/picker.ts")).picker;

type LoadOptions = () => Promise<ApiOptions>;

/**
 * An API whose description has to be fetched or read first: with its first connection, and with every later one.
 * `baseUrl` is what is known of its address beforehand.
 */
export function makeLateApiKind(baseUrl: string): SourceKind<LoadOptions> {
  const { kind, look, concurrency, trusted, translate, connect } = makeApiKind();
  return {
    kind,
    look,
    concurrency,
    trusted,
    ...(translate && { translate }),
    connect: async (load, context, signal) => connect(await load(), context, signal),
    about: () => (baseUrl === "" ? {} : { url: baseUrl }),
  };
}
