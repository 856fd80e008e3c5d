/**
 * The environment of a child: a short list of ours, its own settings, its marker. Our secrets are never handed down; what
 * a program needs to reach the network at all (certificates, proxies, caches of package runners) is.
 */
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
