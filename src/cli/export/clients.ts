/** What connects each client to a running hub: its own form, its own way to a key, and where it goes. */
import type { MessageKey } from "../../messages/catalogue.ts";
import { NAME } from "../../version.ts";
import { referenceTo } from "./forms.ts";

interface Snippet {
  readonly value: object;
  /** Where the client looks for it. */
  readonly file: string;
  /** How the client gets the key, where the hub asks for one. */
  readonly key: Extract<MessageKey, "cli.export.setKey" | "cli.export.putKey" | "cli.export.askKey">;
  /** A command of the client's own that does the same. */
  readonly command?: string | undefined;
}

type Client = (url: string, needsKey: boolean) => Snippet;

const KEY = "ZAGUAN_KEY";
const PLACEHOLDER = "YOUR_KEY";

export const CLIENTS: Readonly<Record<string, Client>> = {
  "claude-desktop": claudeDesktop,
  "claude-code": (url, needsKey) => ({
    value: { mcpServers: { [NAME]: { type: "http", url, ...headers(needsKey, referenceTo(KEY)) } } },
    file: ".mcp.json",
    key: "cli.export.setKey",
    command: `claude mcp add --transport http ${NAME} ${url}${needsKey ? ` --header "Authorization: Bearer $${KEY}"` : ""}`,
  }),
  cursor: (url, needsKey) => ({
    value: { mcpServers: { [NAME]: { url, ...headers(needsKey, referenceTo(`env:${KEY}`)) } } },
    file: "~/.cursor/mcp.json",
    key: "cli.export.setKey",
  }),
  vscode,
  "lm-studio": (url, needsKey) => ({
    value: { mcpServers: { [NAME]: { url, ...headers(needsKey, PLACEHOLDER) } } },
    file: "~/.lmstudio/mcp.json",
    key: "cli.export.putKey",
  }),
};

/** Claude Desktop can only launch programs, so `mcp-remote` connects it to the URL. */
function claudeDesktop(url: string, needsKey: boolean): Snippet {
  // No space behind the colon: on Windows an argument with a space is split.
  const header = needsKey ? ["--header", `Authorization:${referenceTo("AUTHORIZATION")}`] : [];
  const plain = url.startsWith("http:") ? ["--allow-http"] : [];
  const env = needsKey ? { env: { AUTHORIZATION: `Bearer ${PLACEHOLDER}` } } : {};
  return {
    value: {
      mcpServers: { [NAME]: { command: "npx", args: ["-y", "mcp-remote", url, ...plain, ...header], ...env } },
    },
    file: "claude_desktop_config.json",
    key: "cli.export.putKey",
  };
}

function vscode(url: string, needsKey: boolean): Snippet {
  const id = `${NAME}-key`;
  const input = { type: "promptString", id, description: "Zaguan: API key", password: true };
  const server = { type: "http", url, ...headers(needsKey, referenceTo(`input:${id}`)) };
  return {
    value: { ...(needsKey && { inputs: [input] }), servers: { [NAME]: server } },
    file: ".vscode/mcp.json",
    key: "cli.export.askKey",
  };
}

function headers(needsKey: boolean, key: string): object {
  return needsKey ? { headers: { Authorization: `Bearer ${key}` } } : {};
}
