/**
 * Programs that may have to install what they run. That takes as long as it takes, and one that is killed half-way can leave
 * a broken cache behind, in which the same program fails for ever.
 */
const INSTALLERS: ReadonlySet<string> = new Set([
  "npx",
  "npm",
  "pnpm",
  "yarn",
  "bunx",
  "bun",
  "deno",
  "uvx",
  "uv",
  "pipx",
  "docker",
  "podman",
]);
const INSTALL_SECONDS = 600;
const START_SECONDS = 60;

export function mayInstall(command: string | undefined): boolean {
  const program = (command ?? "").split(/[\\/]/).at(-1)?.toLowerCase() ?? "";
  return INSTALLERS.has(program.replace(/\.(?:cmd|exe|ps1)$/, ""));
}

/** How long a program may take to become ready, unless the configuration says otherwise. */
export function startSeconds(command: string | undefined): number {
  return mayInstall(command) ? INSTALL_SECONDS : START_SECONDS;
}
