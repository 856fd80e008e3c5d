/** Finds the servers in other clients' files, whatever form those have, and brings their entries into ours. */

/** Older or other spellings of members that mean the same. */
const SYNONYMS: Readonly<Record<string, string>> = { transportType: "type", serverUrl: "url", httpUrl: "url" };

/**
 * `mcpServers` (Claude Desktop, Claude Code, Cursor, LM Studio, Cline), `servers` (VS Code's mcp.json, beside `inputs`)
 * or `mcp.servers` (VS Code's settings); undefined if the file has none of them.
 */
export function findServers(file: unknown): ReadonlyArray<readonly [name: string, entry: unknown]> | undefined {
  const servers = member(file, "mcpServers") ?? member(file, "servers") ?? member(member(file, "mcp"), "servers");
  if (!isRecord(servers)) return undefined;
  return Object.entries(servers).map(([name, entry]) => [name, isRecord(entry) ? renameMembers(entry) : entry]);
}

/** A synonym never overwrites the member's usual name: both together stay, and are refused by the check. */
function renameMembers(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const rename = (key: string): string => {
    const usual = Object.hasOwn(SYNONYMS, key) ? SYNONYMS[key] : undefined;
    return usual === undefined || Object.hasOwn(entry, usual) ? key : usual;
  };
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [rename(key), value]));
}

function member(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
