/**
 * The variables by which a program finds the desktop, the sound and the session of the user. The short list that every
 * child gets does not have them: a server of somebody else has no business on the user's screen.
 */
import { existsSync } from "node:fs";

const NAMES = [
  "PATH",
  "HOME",
  "LANG",
  "DISPLAY",
  "XAUTHORITY",
  "WAYLAND_DISPLAY",
  "SWAYSOCK",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "XDG_SESSION_TYPE",
  "XDG_CURRENT_DESKTOP",
  "XDG_DATA_DIRS",
  "XDG_DATA_HOME",
  "XDG_CONFIG_HOME",
  "PULSE_SERVER",
  "PULSE_COOKIE",
  "PIPEWIRE_REMOTE",
  "ALSA_CARD",
  "AUDIODEV",
];

export function desktopEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found = NAMES.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...runtimeFolder(), ...Object.fromEntries(found) };
}

/** A hub that is a service is not told where its user's session lives, but there is one place where it does. */
function runtimeFolder(): Record<string, string> {
  const folder = `/run/user/${process.getuid?.() ?? ""}`;
  return process.platform === "linux" && existsSync(folder) ? { XDG_RUNTIME_DIR: folder } : {};
}
