/**
 * Failures of PostgreSQL by SQLSTATE or system error code: the reason, in the words of `messages/en/details.ts`, and whether the
 * work may be retried. Texts of the server go to the log only, without the values that some of them repeat.
 */
import { ZaguanError } from "../../errors.ts";

export const AWAY = "the database cannot be reached";
const IN_DOUBT = "the connection to the database was lost while it was writing: it may have been stored or not";

const FAULTS: Readonly<Record<string, string>> = {
  "25006": "the database is read-only",
  "42501": "the database's user has no right to do that",
  "53100": "the disk is full",
  "53300": "the database takes no further connection",
  "55P03": "another process keeps the database locked",
  "40001": "another process keeps the database locked",
  "40P01": "another process keeps the database locked",
  "57014": "the database does not answer in time",
  "58030": "the disk cannot be read or written",
  XX001: "the database is damaged",
  XX002: "the database is damaged",
};

/** With these SQLSTATEs the server ends the connection, or refuses one. */
const ENDINGS = /^(?:08|28|3D000|57P0[1-5]|53300)/;
/** Conflicts with another writer: the transaction is repeated from its start, and then sees what the other has written. */
const OVERTAKEN = ["40001", "40P01", "23505", "23503", "26000"];
/** The routine that fails when a migration has changed a table after the statement was prepared. */
const STALE_PLAN = "RevalidateCachedQuery";

/** The cause of store errors: what PostgreSQL or the system reported, without any stored values. */
export class PostgresFailure extends Error {
  override readonly name = "PostgresFailure";
  /** SQLSTATE, or the code of a socket or of the client. */
  readonly code: string;
  /** Whether the connection must not be used any more. */
  readonly isLost: boolean;
  /** Whether the transaction was rolled back because of another writer, and may be repeated. */
  readonly isOvertaken: boolean;
  /** Whether it is unknown if the write was stored. */
  readonly isInDoubt: boolean;

  constructor(cause: unknown, isInDoubt = false) {
    const { code = "", message, severity, routine } = cause as ServerError;
    super(severity === undefined ? `${message}` : `${textOf(code, message)} (SQLSTATE ${code})`);
    this.code = code;
    this.isInDoubt = isInDoubt;
    this.isLost = severity === undefined || severity === "FATAL" || severity === "PANIC" || ENDINGS.test(code);
    this.isOvertaken = OVERTAKEN.includes(code) || routine === STALE_PLAN;
  }
}

interface ServerError {
  readonly code?: string;
  readonly message: string;
  /** Only errors of PostgreSQL itself have one. */
  readonly severity?: string;
  readonly routine?: string;
}

/** Errors of class 22 (data exception) repeat the value in their text. */
function textOf(code: string, message: string): string {
  return code.startsWith("22") ? "a value was refused" : message;
}

/** Why the database could not do it; undefined if the statement itself is wrong. */
export function faultIn(failure: PostgresFailure): string | undefined {
  return FAULTS[failure.code] ?? (failure.isLost ? AWAY : undefined);
}

export function toError(failure: PostgresFailure): ZaguanError {
  const reason = failure.isInDoubt ? IN_DOUBT : faultIn(failure);
  if (reason === undefined) return new ZaguanError("INTERNAL", { cause: failure });
  return new ZaguanError("STORE_UNAVAILABLE", { params: { reason }, cause: failure });
}

/**
 * Codes of an established connection that was lost. With any other code there was no connection yet, or the server has reported
 * that it did nothing.
 */
const CUTS = ["CONNECTION_CLOSED", "CONNECTION_DESTROYED", "HUNG_UP", "ECONNRESET", "EPIPE", "ETIMEDOUT"];

/** Marks the failure of a write that was sent: if its connection was lost, the write may have been stored or not. */
export function inDoubt(cause: unknown): never {
  throw cause instanceof PostgresFailure && wasCut(cause) ? new PostgresFailure(cause, true) : cause;
}

/** Whether an established connection was lost, which does not mean that the server is away. */
export function wasCut({ code }: PostgresFailure): boolean {
  return CUTS.includes(code);
}

export function failureIn(cause: unknown): PostgresFailure | undefined {
  const inner = cause instanceof ZaguanError ? cause.cause : cause;
  return inner instanceof PostgresFailure ? inner : undefined;
}
