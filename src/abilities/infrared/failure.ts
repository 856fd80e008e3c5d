/** What can go wrong with infrared, told in the caller's language, and in the system's own words where it has some. */
import { getSystemErrorMessage } from "node:util";
import { SerialPortError } from "../../link/serial-port.ts";
import { type Language, type MessageKey, type MessageParams, say } from "../../messages/catalogue.ts";

/** Kept as what happened, not as a text: who asks later may speak another language. */
export class InfraredFailure extends Error {
  readonly key: MessageKey;
  readonly params: MessageParams;

  constructor(key: MessageKey, params: MessageParams = {}, cause?: unknown) {
    super(say("en", key, params), { cause });
    this.name = "InfraredFailure";
    this.key = key;
    this.params = params;
  }
}

/** The words of the C library, as other programs on the machine show them; Node has words of its own. */
const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  EACCES: "Permission denied",
  EBUSY: "Device or resource busy",
  EIO: "Input/output error",
  EISDIR: "Is a directory",
  ENODEV: "No such device",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  ENXIO: "No such device or address",
  EPERM: "Operation not permitted",
  EROFS: "Read-only file system",
};

export function failureText(error: unknown, language: Language): string {
  if (error instanceof SerialPortError) return serialText(error, language);
  if (!(error instanceof InfraredFailure)) return systemWords(error);
  // A reason may be a failure itself; it is said in the same language.
  return say(
    language,
    error.key,
    error.cause ? { ...error.params, reason: failureText(error.cause, language) } : error.params,
  );
}

function systemWords(error: unknown): string {
  const { code = "", errno, message } = error as NodeJS.ErrnoException;
  return SYSTEM_WORDS[code] ?? (errno === undefined ? message : getSystemErrorMessage(errno));
}

function serialText(error: SerialPortError, language: Language): string {
  const { port, fault } = error;
  if (fault === "gone") return say(language, "infrared.gone", { port });
  if (fault === "stalled") return say(language, "infrared.stalled", { port });
  return say(language, "infrared.cannotOpen", { port, reason: openingReason(error, language) });
}

function openingReason({ fault, detail, cause }: SerialPortError, language: Language): string {
  if (fault === "not_serial") return say(language, "infrared.notSerial");
  if (fault === "no_stty") return say(language, "infrared.noStty");
  return fault === "refused" ? detail : systemWords(cause ?? { code: "EBUSY" });
}
