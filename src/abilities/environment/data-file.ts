/** The file that a background service writes every half minute, read as the fork of py-xiaozhi reads it, texts included. */
import { constants, open } from "node:fs/promises";
import { type Language, type MessageKey, type MessageParams, say } from "../../messages/catalogue.ts";

export type Answer = Readonly<Record<string, unknown>>;

interface FileAnswer {
  /** "running" where it has data. */
  readonly status: string;
  readonly answer: Answer;
}

const FIELDS = ["timestamp", "humidity", "temperature", "unit"];
/** A reading has about a hundred bytes. */
const MOST_BYTES = 65_536;

interface FileOptions {
  readonly file: string;
  readonly staleSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly language: Language;
}

export async function readDataFile(options: FileOptions): Promise<FileAnswer> {
  const { file, language } = options;
  try {
    const content = (await readStart(file)).trim();
    return content === "" ? failed(language, "no_data", "environment.noData") : parsed(content, options);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return failed(language, "stopped", "environment.stopped", { file });
    if (code === "EACCES" || code === "EPERM") {
      return failed(language, "permission_denied", "environment.permissionDenied", { file });
    }
    return failed(language, "read_error", "environment.readError", { reason: code || "?" });
  }
}

function parsed(content: string, options: FileOptions): FileAnswer {
  const { language } = options;
  let data: unknown;
  try {
    data = JSON.parse(content);
  } catch (cause) {
    const reason = (cause as Error).message.slice(0, 200);
    return failed(language, "json_error", "environment.jsonError", { reason });
  }
  const field = FIELDS.find((name) => typeof data !== "object" || data === null || !Object.hasOwn(data, name));
  if (field !== undefined) return failed(language, "invalid_format", "environment.invalidFormat", { field });
  return told(data as Answer, options);
}

/** All that the service wrote, and whether it still does. */
function told(data: Answer, { now, staleSeconds, language }: FileOptions): FileAnswer {
  const age = now / 1_000 - Number(data["timestamp"]);
  if (!(age > staleSeconds)) return { status: "running", answer: { ...data, service_status: "running" } };
  const warning = say(language, "environment.stale", { minutes: Math.floor(age / 60) });
  const stale = { service_status: "stopped", stale: true, age_seconds: Math.floor(age), warning };
  return { status: "stopped", answer: { ...data, ...stale } };
}

function failed(language: Language, status: string, key: MessageKey, params: MessageParams = {}): FileAnswer {
  return { status, answer: { error: say(language, key, params), service_status: status } };
}

/** Does not block on a pipe without a writer, and reads no more than a reading can have. */
async function readStart(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await handle.stat()).isFile()) throw Object.assign(new Error("not a file"), { code: "EISDIR" });
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(MOST_BYTES) });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
