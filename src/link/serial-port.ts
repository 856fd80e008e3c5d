/**
 * One serial port, opened for as long as one conversation takes. Reads never wait in the kernel: a thread of the pool that
 * waits there cannot be called back, and the platform's own terminal streams open the port a second time, which may block
 * everybody. So the port is asked again every few milliseconds, and everything can be ended between two questions.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import { ZaguanError } from "../errors.ts";
import { childEnvironment } from "./child-environment.ts";
import { newMarker } from "./undertaker.ts";

export interface SerialPortOptions {
  /** "/dev/ttyS1". */
  readonly port: string;
  /** Bits in a second. */
  readonly baud: number;
  /** Where programs are looked for. @default this process's own PATH */
  readonly path?: string | undefined;
}

export interface SerialPort {
  readonly name: string;
  /** The next bytes, as soon as there are any; undefined if it was over before. */
  read(isOver: () => boolean): Promise<Buffer | undefined>;
  /** Resolves when the line has taken everything; rejects as `stalled` if it was over before. */
  write(bytes: Uint8Array, isOver: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** `system` and `gone` carry the system's code, `refused` the words of stty. */
type SerialFault = "system" | "busy" | "not_serial" | "no_stty" | "refused" | "gone" | "stalled";

export class SerialPortError extends ZaguanError {
  readonly fault: SerialFault;
  readonly port: string;
  readonly detail: string;

  constructor(fault: SerialFault, port: string, detail: string, cause?: unknown) {
    super("SOURCE_UNAVAILABLE", { params: { source: port, reason: `${fault} ${detail}`.trim() }, cause });
    this.name = "SerialPortError";
    this.fault = fault;
    this.port = port;
    this.detail = detail;
  }
}

/** Not as the terminal of our session, and without waiting for a modem to answer. */
const FLAGS = constants.O_RDWR | (constants.O_NOCTTY ?? 0) | (constants.O_NONBLOCK ?? 0);
/** At 115200 bits in a second 115 bytes come meanwhile; the kernel has room for thousands. */
const PAUSE_MS = 10;
const READ_BYTES = 4096;
/** A line that never falls silent cannot be emptied. */
const STALE_READS = 16;

/** Devices in use, by their numbers: a port may have several names. The kernel lets everybody in who asks. */
const inUse = new Set<number>();

/** Rejects with a SerialPortError, with nothing left open. */
export async function openSerialPort({ port, baud, path }: SerialPortOptions): Promise<SerialPort> {
  if (!Number.isSafeInteger(baud) || baud <= 0)
    throw new SerialPortError("refused", port, `invalid baud rate '${baud}'`);
  const handle = await open(port, FLAGS).catch((error: NodeJS.ErrnoException) => {
    throw systemFault(port, error);
  });
  try {
    return await settle(port, handle, baud, path);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function settle(port: string, handle: FileHandle, baud: number, path: string | undefined): Promise<SerialPort> {
  if (!isatty(handle.fd)) throw new SerialPortError("not_serial", port, "");
  const { rdev } = await handle.stat();
  if (inUse.has(rdev)) throw new SerialPortError("busy", port, "");
  inUse.add(rdev);
  try {
    await setUp(port, baud, path);
    const opened = new OpenPort(port, handle, () => inUse.delete(rdev));
    await opened.dropStale();
    return opened;
  } catch (error) {
    inUse.delete(rdev);
    throw error;
  }
}

/** On a handle of its own: who gets one as standard input gets it blocking. */
async function setUp(port: string, baud: number, path: string | undefined): Promise<void> {
  const handle = await open(port, FLAGS).catch((error: NodeJS.ErrnoException) => {
    throw systemFault(port, error);
  });
  const wrong = await setSerialLine(handle.fd, baud, path).finally(() => handle.close());
  if (wrong) throw new SerialPortError(wrong.fault === "missing" ? "no_stty" : "refused", port, wrong.words);
}

class OpenPort implements SerialPort {
  readonly name: string;
  readonly #handle: FileHandle;
  readonly #release: () => void;
  readonly #buffer = Buffer.alloc(READ_BYTES);
  #closing: Promise<void> | undefined;

  constructor(name: string, handle: FileHandle, release: () => void) {
    this.name = name;
    this.#handle = handle;
    this.#release = release;
  }

  async read(isOver: () => boolean): Promise<Buffer | undefined> {
    for (;;) {
      // What came while we were held up counts, however late it is seen.
      const bytes = await this.#readOnce();
      if (bytes || isOver()) return bytes;
      await sleep(PAUSE_MS);
    }
  }

  async write(bytes: Uint8Array, isOver: () => boolean): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const taken = await this.#unlessFull(
        async () => (await this.#handle.write(bytes.subarray(written))).bytesWritten,
      );
      written += taken ?? 0;
      if (taken !== undefined) continue;
      if (isOver()) throw new SerialPortError("stalled", this.name, "");
      await sleep(PAUSE_MS);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#handle.close().finally(this.#release);
    return this.#closing;
  }

  /** What somebody else's conversation left behind. */
  async dropStale(): Promise<void> {
    for (let reads = 0; reads < STALE_READS && (await this.#readOnce()); ) reads += 1;
  }

  /** Undefined if there is nothing yet. A line that was hung up reads as its end. */
  async #readOnce(): Promise<Buffer | undefined> {
    const length = await this.#unlessFull(
      async () => (await this.#handle.read(this.#buffer, 0, READ_BYTES, null)).bytesRead,
    );
    if (length === 0) throw new SerialPortError("gone", this.name, "EOF");
    return length === undefined ? undefined : Buffer.from(this.#buffer.subarray(0, length));
  }

  async #unlessFull(work: () => Promise<number>): Promise<number | undefined> {
    try {
      return await work();
    } catch (error) {
      const { code = "unknown" } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN" || code === "EINTR") return undefined;
      throw new SerialPortError("gone", this.name, code, error);
    }
  }
}

function systemFault(port: string, error: NodeJS.ErrnoException): SerialPortError {
  if (error.code === "EISDIR") return new SerialPortError("not_serial", port, "", error);
  const fault = error.code === "EBUSY" ? "busy" : "system";
  return new SerialPortError(fault, port, error.code ?? error.message, error);
}

const STTY_MS = 5000;
const BYTES_AS_THEY_ARE = ["raw", "-echo", "cs8", "-parenb", "-cstopb", "cread", "clocal", "-crtscts"];
/** A read gives what there is, and "none yet" can be told from "gone for ever". */
const READS = ["min", "1", "time", "0"];

type SettingsFault = "missing" | "refused";

/**
 * Sets speed and form of a serial line by the program `stty` on its standard input: 8 bits, no parity, one stop bit, no flow
 * control, bytes as they are. `stty -F` would open the port itself, and a leader of a session that opens a terminal becomes its
 * owner: when it exits, the kernel hangs the line up for everybody (not a pseudo-terminal, so no test would see it).
 *
 * `fd` is made blocking by being handed over, with every copy of it: it must be one that nobody reads from. `path` is where
 * programs are looked for. Resolves with what was wrong, in the program's own words.
 */
async function setSerialLine(
  fd: number,
  baud: number,
  path: string | undefined,
): Promise<{ readonly fault: SettingsFault; readonly words: string } | undefined> {
  const env = childEnvironment({ LC_ALL: "C", ...(path === undefined ? {} : { PATH: path }) }, newMarker());
  const args = [String(baud), ...BYTES_AS_THEY_ARE, ...READS];
  const child = spawn("stty", args, { env, windowsHide: true, stdio: [fd, "ignore", "pipe"] });
  // Not the option of that name: its timer outlives a program that could not be started.
  const limit = setTimeout(() => child.kill("SIGKILL"), STTY_MS);
  const ended = once(child, "close").catch((error: NodeJS.ErrnoException) => error.code ?? "unknown");
  // Where nothing more can be opened, there is not even a pipe.
  const said = child.stderr ? text(child.stderr).catch(() => "") : "";
  const [words, end] = await Promise.all([said, ended]).finally(() => clearTimeout(limit));
  if (typeof end === "string") return { fault: end === "ENOENT" ? "missing" : "refused", words: `stty: ${end}` };
  return end[0] === 0 ? undefined : { fault: "refused", words: reasonOf(words) };
}

/** "stty: 'standard input': Input/output error" → "Input/output error". */
function reasonOf(words: string): string {
  const line = words.trim().split("\n")[0]?.slice(0, 200) ?? "";
  return line.replace(/^stty: (?:'?standard input'?: )?/, "") || "stty failed";
}
