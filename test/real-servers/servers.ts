/**
 * The servers of this suite, as people write them into their configuration: programs of many makers, from npm and PyPI, at
 * one version each. A server that wants a key gets one that opens nothing, since none of the calls leaves the machine.
 */
import type { Ground } from "./ground.ts";

export interface RealServer {
  readonly command: "npx" | "uvx";
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A call that does no harm, needs no network, and is answered in the same words every time. */
  readonly call?: readonly [tool: string, args: object];
}

function npx(name: string, ...args: readonly string[]): RealServer {
  return { command: "npx", args: ["-y", name, ...args] };
}

function uvx(name: string, ...args: readonly string[]): RealServer {
  return { command: "uvx", args: [name, ...args] };
}

const OFFICIAL = "2026.8.31";

export function realServers(ground: Ground): Readonly<Record<string, RealServer>> {
  const { files, repository, page } = ground;
  return {
    playwright: npx("@playwright/mcp@0.0.83"),
    mongodb: { ...npx("mongodb-mcp-server@3.0.4"), env: { MDB_MCP_TELEMETRY: "disabled" } },
    kubernetes: { ...npx("mcp-server-kubernetes@4.1.7"), call: ["ping", {}] },
    notion: { ...npx("@notionhq/notion-mcp-server@2.5.2"), env: { NOTION_TOKEN: "ntn_none" } },
    context7: npx("@upstash/context7-mcp@4.1.1"),
    firecrawl: { ...npx("firecrawl-mcp@3.26.0"), env: { FIRECRAWL_API_KEY: "fc-none" } },
    tavily: { ...npx("tavily-mcp@0.2.22"), env: { TAVILY_API_KEY: "tvly-none" } },
    // Its documentation tool would be fetched from its maker when tools are listed.
    supabase: npx(
      "@supabase/mcp-server-supabase@0.13.0",
      `--access-token=sbp_${"0".repeat(40)}`,
      "--features=database",
    ),
    "chrome-devtools": npx("chrome-devtools-mcp@1.11.0", "--no-usage-statistics"),
    github: { ...npx("@modelcontextprotocol/server-github@2025.4.8"), env: { GITHUB_PERSONAL_ACCESS_TOKEN: "none" } },
    brave: { ...npx("@modelcontextprotocol/server-brave-search@0.6.2"), env: { BRAVE_API_KEY: "none" } },
    charts: npx("@antv/mcp-server-chart@0.9.10"),
    memory: {
      ...npx(`@modelcontextprotocol/server-memory@${OFFICIAL}`),
      env: { MEMORY_FILE_PATH: `${files}/memory.jsonl` },
      call: ["read_graph", {}],
    },
    filesystem: {
      ...npx(`@modelcontextprotocol/server-filesystem@${OFFICIAL}`, files),
      call: ["read_text_file", { path: `${files}/note.txt` }],
    },
    everything: {
      ...npx(`@modelcontextprotocol/server-everything@${OFFICIAL}`),
      call: ["trigger-elicitation-request", {}],
    },
    "sequential-thinking": {
      ...npx(`@modelcontextprotocol/server-sequential-thinking@${OFFICIAL}`),
      call: [
        "sequentialthinking",
        { thought: "¿Y si…?", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      ],
    },
    git: { ...uvx("mcp-server-git==2026.10.19"), call: ["git_log", { repo_path: repository }] },
    time: {
      ...uvx("mcp-server-time==2026.10.19"),
      call: ["convert_time", { source_timezone: "UTC", time: "12:00", target_timezone: "Asia/Tokyo" }],
    },
    fetch: {
      ...uvx("mcp-server-fetch==2026.10.24", "--ignore-robots-txt", "--allow-private-ips"),
      call: ["fetch", { url: page, raw: true }],
    },
    // The server is older than the second line of the SDK, and does not exclude it.
    sqlite: {
      ...uvx("--with", "mcp==1.30.0", "mcp-server-sqlite==2025.4.25", "--db-path", `${files}/house.db`),
      call: ["read_query", { query: "SELECT 6 * 7 AS answer" }],
    },
    duckdb: {
      ...uvx("mcp-server-motherduck==1.1.0", "--db-path", ":memory:", "--read-write"),
      call: ["execute_query", { sql: "SELECT 6 * 7 AS answer" }],
    },
    calculator: { ...uvx("mcp-server-calculator==0.2.1"), call: ["calculate", { expression: "6 * 7" }] },
    excel: {
      ...uvx("excel-mcp-server==2.2.2", "stdio"),
      env: { EXCEL_FILES_PATH: files },
      call: ["list_workbooks", {}],
    },
    duckduckgo: uvx("duckduckgo-mcp-server==0.7.0"),
  };
}

/** Three that never come up, and what the hub is to say of each. */
export const BROKEN: Readonly<Record<string, { command: string; args: string[]; reason: RegExp }>> = {
  absent: { command: "zaguan-no-such-program", args: [], reason: /command not found: zaguan-no-such-program/ },
  leaving: {
    command: "node",
    args: ["-e", "console.error('settings.yaml is missing'); process.exit(3)"],
    reason: /exited with code 3: settings\.yaml is missing/,
  },
  silent: {
    command: "node",
    args: ["-e", "setInterval(() => {}, 1_000)"],
    reason: /did not become ready within \d+ s/,
  },
};
