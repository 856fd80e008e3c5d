/**
 * What can go wrong with PostgreSQL, by its SQLSTATE or the system's code: why, in words that `messages/en/details.ts` has, and
 * what may be done about it. Texts of the server are kept for the log only, without the values that some of them repeat.
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

/** The server ends the connection with these, or has none to give. */
const ENDINGS = /^(?:08|28|3D000|57P0[1-5]|53300)/;
/** Another writer was quicker: the work is done again from its start, and finds what the other wrote. */
const OVERTAKEN = ["40001", "40P01", "23505", "23503", "26000"];
/** A table was changed by a migration since the statement was prepared. */
const STALE_PLAN = "RevalidateCachedQuery";

/** The cause of our errors: what PostgreSQL or the system said, and nothing of what was written. */
export class PostgresFailure extends Error {
  override readonly name = "PostgresFailure";
  /** SQLSTATE, or the code of a socket or of the client. */
  readonly code: string;
  /** The connection is not to be used any more. */
  readonly isLost: boolean;
  /** It was undone, and may be done again. */
  readonly isOvertaken: boolean;
  /** Nobody knows whether what was to be written is written. */
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
  /** Of PostgreSQL's own errors only. */
  readonly severity?: string;
  readonly routine?: string;
}

/** Class 22 is about values, which its texts repeat. */
function textOf(code: string, message: string): string {
  return code.startsWith("22") ? "a value was refused" : message;
}

/** Why the database could not do it; undefined if it is our fault. */
export function faultIn(failure: PostgresFailure): string | undefined {
  return FAULTS[failure.code] ?? (failure.isLost ? AWAY : undefined);
}

export function toError(failure: PostgresFailure): ZaguanError {
  const reason = failure.isInDoubt ? IN_DOUBT : faultIn(failure);
  if (reason === undefined) return new ZaguanError("INTERNAL", { cause: failure });
  return new ZaguanError("STORE_UNAVAILABLE", { params: { reason }, cause: failure });
}

/** With these a connection was lost; with any other there was none yet, or the server said that it did nothing. */
const CUTS = ["CONNECTION_CLOSED", "CONNECTION_DESTROYED", "HUNG_UP", "ECONNRESET", "EPIPE", "ETIMEDOUT"];

/** For a write that was sent: if its connection is lost now, nobody knows what became of it. */
export function inDoubt(cause: unknown): never {
  throw cause instanceof PostgresFailure && wasCut(cause) ? new PostgresFailure(cause, true) : cause;
}

/** A connection that had worked was lost, which says nothing of the server yet. */
export function wasCut({ code }: PostgresFailure): boolean {
  return CUTS.includes(code);
}

export function failureIn(cause: unknown): PostgresFailure | undefined {
  const inner = cause instanceof ZaguanError ? cause.cause : cause;
  return inner instanceof PostgresFailure ? inner : undefined;
}
