/** The clients of this suite, each at one version, with what it can do beyond listing and calling. */

/** `http-legacy`: Streamable HTTP with the handshake of 2025, for a client that would choose 2026-07-28 by itself. */
export type Kind = "http" | "http-legacy" | "sse" | "stdio";

export interface RealClient {
  /** What pip installs; a client without it is one for Node. */
  readonly packages?: readonly string[];
  /** Of `drivers/`. */
  readonly driver: string;
  readonly kinds: readonly Kind[];
  /** What it hears and answers while a call runs; where a call over stdio is a hub of its own, nothing there. */
  readonly can: readonly ("progress" | "elicited" | "sampled")[];
  readonly startsHubPerCall?: boolean;
  /** Over HTTP it finds out by itself that the hub speaks 2026-07-28, which knows no sessions. */
  readonly findsStatelessEra?: boolean;
}

const ALL: readonly Kind[] = ["http", "sse", "stdio"];
const BOTH_ERAS: readonly Kind[] = ["http", "http-legacy", "sse", "stdio"];

export const CLIENTS: Readonly<Record<string, RealClient>> = {
  "mcp 1.30.0": {
    packages: ["mcp==1.30.0"],
    driver: "drive_mcp1.py",
    kinds: ALL,
    can: ["progress", "elicited", "sampled"],
  },
  "mcp 2.3.0": {
    packages: ["mcp==2.3.0"],
    driver: "drive_mcp2.py",
    findsStatelessEra: true,
    kinds: BOTH_ERAS,
    can: ["progress", "elicited", "sampled"],
  },
  "fastmcp 4.1.2": {
    packages: ["fastmcp==4.1.2"],
    driver: "drive_fastmcp.py",
    findsStatelessEra: true,
    kinds: BOTH_ERAS,
    can: ["progress", "elicited", "sampled"],
  },
  "langchain-mcp-adapters 0.3.2": {
    packages: ["langchain-mcp-adapters==0.3.2"],
    driver: "drive_langchain.py",
    kinds: ALL,
    can: ["progress", "elicited"],
  },
  "openai-agents 0.24.0": {
    packages: ["openai-agents==0.24.0"],
    driver: "drive_openai_agents.py",
    findsStatelessEra: true,
    kinds: ALL,
    can: [],
  },
  "llama-index-tools-mcp 0.6.0": {
    packages: ["llama-index-tools-mcp==0.6.0"],
    driver: "drive_llama_index.py",
    kinds: ALL,
    can: ["progress", "sampled"],
    startsHubPerCall: true,
  },
  "pydantic-ai 2.66.0": {
    packages: ["pydantic-ai-slim[mcp]==2.66.0"],
    driver: "drive_pydantic_ai.py",
    findsStatelessEra: true,
    kinds: ALL,
    can: ["progress", "elicited", "sampled"],
  },
  "mcp-use 1.7.1": {
    packages: ["mcp-use==1.7.1"],
    driver: "drive_mcp_use.py",
    kinds: ALL,
    can: ["elicited", "sampled"],
  },
  "@ai-sdk/mcp 2.0.93": { driver: "drive_ai_sdk.ts", findsStatelessEra: true, kinds: BOTH_ERAS, can: ["elicited"] },
};
