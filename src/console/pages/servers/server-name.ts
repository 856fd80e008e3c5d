/** Names of servers: what the hub takes, and how one is made of what there is. */

/** Pieces of paths and packages that say nothing about what a server is. */
const SAYS_NOTHING = /^(?:index|main|server|cli|run|start|app|dist|build|out|lib|src|bin|mcp|__main__|latest)$/i;
const NAMED_AFTER_ALL = /^(?:mcp-server-|server-|mcp-)|(?:-mcp-server|-server|-mcp)$/gi;
/** Parts of hosts that only say what is spoken there. */
const OF_HOSTS = /^(?:www|mcp|api|sse|remote)$/i;

/** The same name, or the nearest that the hub takes. */
export function possibleName(said: string): string {
  const name = said
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/_{2,}/g, "_")
    .replace(/^[-.]+|[-._]+$/g, "")
    .slice(0, 64)
    .replace(/_+$/, "");
  if (name === "") return "server";
  return name === "house" ? "house-2" : name;
}

/** With a number behind it where it is taken. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) {
    const other = `${name.slice(0, 60)}-${number}`;
    if (!taken.has(other)) return other;
  }
}

export function nameOfUrl(url: string): string {
  if (!URL.canParse(url)) return "server";
  const { hostname } = new URL(url);
  if (/^[\d.:[\]]+$/.test(hostname)) return possibleName(hostname);
  const labels = hostname.split(".").filter((label) => !OF_HOSTS.test(label));
  return possibleName(labels[0] ?? hostname);
}

/** `npx -y @scope/server-files@1.2 /home` is "files". */
export function nameOfCommand(command: string, args: readonly string[]): string {
  const words = [...args.filter((word) => !word.startsWith("-")), command];
  for (const word of words) {
    const name = tellingPart(word);
    if (name !== undefined && !isRunner(word)) return possibleName(name);
  }
  return possibleName(tellingPart(command) ?? "server");
}

function isRunner(word: string): boolean {
  return /^(?:run|exec|dlx|x|tool|install|start)$/.test(word);
}

function tellingPart(word: string): string | undefined {
  const parts = word
    .split(/[/\\]/)
    .map((part) => part.replace(/(?<=.)@.*$/, "").replace(/\.(?:js|mjs|cjs|ts|py|exe|cmd|sh|jar)$/i, ""))
    .filter((part) => part !== "" && !part.startsWith("@") && !SAYS_NOTHING.test(part));
  return parts.at(-1)?.replace(NAMED_AFTER_ALL, "") || parts.at(-1);
}
