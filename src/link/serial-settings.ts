/**
 * Speed and manners of a serial line, set by the program `stty` on its standard input: 8 bits, no parity, one stop bit, no
 * flow control, bytes as they are.
 *
 * `stty -F` would open the port itself, and a leader of a session that opens a terminal becomes its owner: when it exits,
 * the kernel hangs the line up for everybody (not a pseudo-terminal, so no test would see it). On standard input it opens
 * nothing, needs no such option, and sets the very device that was looked at before.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { childEnvironment } from "./child-environment.ts";
import { newMarker } from "./undertaker.ts";

const LIMIT_MS = 5000;
const BYTES_AS_THEY_ARE = ["raw", "-echo", "cs8", "-parenb", "-cstopb", "cread", "clocal", "-crtscts"];
/** A read gives what there is, and "none yet" can be told from "gone for ever". */
const READS = ["min", "1", "time", "0"];

type SettingsFault = "missing" | "refused";

/**
 * `fd` is made blocking by being handed over, with every copy of it: it must be one that nobody reads from. `path` is where
 * programs are looked for. Resolves with what was wrong, in the program's own words.
 */
export async function setSerialLine(
  fd: number,
  baud: number,
  path: string | undefined,
): Promise<{ readonly fault: SettingsFault; readonly words: string } | undefined> {
  const env = childEnvironment({ LC_ALL: "C", ...(path === undefined ? {} : { PATH: path }) }, newMarker());
  const args = [String(baud), ...BYTES_AS_THEY_ARE, ...READS];
  const child = spawn("stty", args, { env, windowsHide: true, stdio: [fd, "ignore", "pipe"] });
  // Not the option of that name: its timer outlives a program that could not be started.
  const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
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
