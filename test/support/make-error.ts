/** Errors for tests that want a code and care for no words: what its text names is filled with anything. */
import { ERRORS, type ErrorArguments, type ErrorCode, type ErrorDetails, ZaguanError } from "../../src/errors.ts";

export function makeError(code: ErrorCode, details: ErrorDetails = {}): ZaguanError {
  const values = Object.fromEntries(ERRORS[code].values.map((name) => [name, name]));
  return new ZaguanError(...([code, { ...details, params: { ...values, ...details.params } }] as ErrorArguments));
}
