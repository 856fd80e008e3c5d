/** Why a bus cannot be opened, as one line for the person who configured it. It names no password, token or key. */

type BusErrorKind =
  | "name"
  | "secret"
  | "address"
  | "file"
  | "unreachable"
  | "not-nats"
  | "credentials"
  | "tls"
  | "permission"
  | "limits";

export class BusError extends Error {
  readonly kind: BusErrorKind;

  constructor(kind: BusErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "BusError";
    this.kind = kind;
  }
}
