/**
 * Looks whether an API answers, without doing anything in a caller's place: what only reads and needs no argument is really
 * called, and otherwise any answer of its address will do.
 */
import type { ApiChecker } from "../apis/book.ts";
import { HttpCaller } from "../link/http-call.ts";
import { EMPTY_OBJECT } from "../protocol/json/payload.ts";
import type { ApiOperation, ApiOptions } from "../sources/api/operation.ts";
import { loneContext } from "./lone-context.ts";

const LIMIT_MS = 10_000;
const FEW_BYTES = 65_536;

export const apiChecker: ApiChecker = {
  async isHealthy(name: string, options: ApiOptions, operation: ApiOperation): Promise<boolean> {
    try {
      return isFree(operation) ? await answersWell(name, options, operation) : await isThere(name, options);
    } catch {
      // Whatever the reason is: it could not be reached, or may not be.
      return false;
    }
  },
};

/** Calling it changes nothing, and needs nothing that we would have to make up. */
function isFree({ method, inputSchema }: ApiOperation): boolean {
  const required = inputSchema["required"];
  return method === "GET" && !(Array.isArray(required) && required.length > 0);
}

async function answersWell(name: string, options: ApiOptions, operation: ApiOperation): Promise<boolean> {
  const { makeApiKind } = await import("../sources/api/source.ts");
  const signal = AbortSignal.timeout(LIMIT_MS);
  const connection = await makeApiKind().connect({ ...options, operations: [operation] }, loneContext(name), signal);
  try {
    const request = { method: "tools/call", name: operation.name, args: EMPTY_OBJECT, language: "en", signal } as const;
    const { value } = await connection.request(request);
    return (value as { readonly isError?: boolean }).isError !== true;
  } finally {
    await connection.close();
  }
}

async function isThere(name: string, { baseUrl, allowPrivate, ownPrivate }: ApiOptions): Promise<boolean> {
  const caller = new HttpCaller({ name, allowPrivate: allowPrivate || ownPrivate === true });
  try {
    const bounds = { follow: false, maxBytes: FEW_BYTES, limitMs: LIMIT_MS };
    const { status } = await caller.call({ method: "HEAD", url: baseUrl, headers: {}, ...bounds });
    return status < 500;
  } finally {
    await caller.close();
  }
}
