/** One document, read: its operations, or what is wrong with it in a form that passes between threads. */
import { type ErrorDetails, ZaguanError } from "../errors.ts";
import { readDocument } from "../openapi/document.ts";
import { type OperationsOptions, operationsOf, type ReadApi } from "../openapi/operations.ts";

export interface ReadOutcome {
  readonly read?: ReadApi;
  readonly refused?: { readonly params: { readonly reason: string }; readonly data: ErrorDetails["data"] };
}

export function outcomeOf(text: string, options: OperationsOptions): ReadOutcome {
  try {
    return { read: operationsOf(readDocument(text), options) };
  } catch (cause) {
    if (!(cause instanceof ZaguanError)) throw cause;
    const { params, data } = cause.details;
    return { refused: { params: { reason: String(params?.["reason"] ?? cause.code) }, data } };
  }
}
