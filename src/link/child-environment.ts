/**
 * What a child of ours inherits. Of our environment a short list, beside its own settings and its marker: our secrets are never
 * handed down, but what a program needs to reach the network at all (certificates, proxies, caches of package runners) is. Of
 * descriptors none.
 */
import { closeSync, readdirSync, readFileSync } from "node:fs";
import { secretsIn } from "../security/entry-secrets.ts";
import { MARKER_VARIABLE } from "./process-group.ts";

const POSIX = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ"];
const NETWORK = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "npm_config_cache",
  "npm_config_userconfig",
  "npm_config_registry",
  "UV_CACHE_DIR",
  "PIP_CACHE_DIR",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
];
const WINDOWS = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

export function childEnvironment(own: Readonly<Record<string, string>>, marker: string): Record<string, string> {
  return { ...inheritedEnvironment(), ...own, [MARKER_VARIABLE]: marker };
}

/** What a child is given and must not tell again; a proxy's password is ours. */
export function secretsGiven({
  args,
  env,
}: {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}): string[] {
  return secretsIn({ args, env: { ...inheritedEnvironment(), ...env } });
}

function inheritedEnvironment(): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of [...(process.platform === "win32" ? WINDOWS : POSIX), ...NETWORK]) {
    const value = process.env[name];
    if (value !== undefined) inherited[name] = value;
  }
  return inherited;
}

const CLOSE_ON_EXEC = 0o2000000;
const LAST_STANDARD = 2;

/**
 * Closes descriptors that whoever started this process left open. Node marks those below 16 and those before the first gap as
 * close-on-exec (libuv's `uv_disable_stdio_inheritance`); the others would reach every child. Node opens its own as
 * close-on-exec, so that an unmarked one is an inherited one. macOS passes on nothing that is not asked for.
 *
 * For a process that is a hub and nothing else: in somebody's program the descriptors may be in use.
 */
export function closeInheritedDescriptors(): void {
  for (const descriptor of openDescriptors()) {
    if (descriptor > LAST_STANDARD && wouldBeInherited(descriptor)) closeSync(descriptor);
  }
}

function openDescriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

/** A descriptor without an entry in fdinfo has been closed since the folder was read, such as the folder's own. */
function wouldBeInherited(descriptor: number): boolean {
  try {
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")) ?? [];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
