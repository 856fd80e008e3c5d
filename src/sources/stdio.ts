/** An MCP server that we start as a child process and talk to over its standard input and output. */
import { secretsGiven } from "../link/child-environment.ts";
import type { LinkHandlers } from "../link/link.ts";
import type { EraMemory } from "./mcp-client/era-memory.ts";
import type { SourceKind } from "./source.ts";

interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  readonly lineBytes: number;
  /** How long it may take to leave when it is told to. */
  readonly termMs?: number | undefined;
  /** The revision of MCP that it speaks, where that is configured: then it is not asked. */
  readonly revision?: string | undefined;
  /** Of this server, over all of its lives. */
  readonly memory: EraMemory;
}

export const stdio: SourceKind<StdioOptions> = {
  kind: "stdio",
  look: {
    title: { en: "program (stdio)", es: "programa (stdio)", fr: "programme (stdio)", zh: "程序（stdio）" },
    icon: "M3 5h18v14H3zM7 9l3 3-3 3M12 15h5",
  },
  concurrency: 64,
  trusted: false,
  mostLent: 16,
  mayInstall: ({ command }) => mayInstall(command),
  isMcp: true,
  connect: async ({ memory, revision, ...child }, context, signal) => {
    // Loaded with the first program that is started: a hub without one never needs it.
    const [{ openChildLink }, { openRedacted }, { connectPipe }] = await Promise.all([
      import("../link/child-process.ts"),
      import("../link/redacted-link.ts"),
      import("./mcp-client/pipe.ts"),
    ]);
    const options = { ...child, name: context.name };
    const onLog = (line: string): void => context.onLog(line);
    const open = (handlers: LinkHandlers) =>
      openRedacted(secretsGiven(child), { ...handlers, onLog }, (clean) => openChildLink(options, clean));
    return connectPipe({ open, memory, asksForEra: true, revision }, context, signal);
  },
};

/**
 * Programs that may have to install what they run. That takes as long as it takes, and one that is killed half-way can
 * leave a broken cache behind, in which the same program fails for ever.
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
