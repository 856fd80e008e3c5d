/** The environment of a child: a short list of ours, its own settings, its marker. Our secrets are never handed down. */
import { MARKER_VARIABLE } from "./process-group.ts";

const POSIX = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ"];
const WINDOWS = [
  ...["APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE"],
  ...["PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"],
];

export function childEnvironment(own: Readonly<Record<string, string>>, marker: string): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of process.platform === "win32" ? WINDOWS : POSIX) {
    const value = process.env[name];
    if (value !== undefined) inherited[name] = value;
  }
  return { ...inherited, ...own, [MARKER_VARIABLE]: marker };
}
