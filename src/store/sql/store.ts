/** The store over any database that the tables can talk to. */
import type { Store } from "../store.ts";
import { SqlApis } from "./apis.ts";
import { SqlDocuments } from "./documents.ts";
import type { SqlDriver } from "./driver.ts";
import { SqlKeys } from "./keys.ts";
import { SqlMcpSessions } from "./mcp-sessions.ts";
import { migrate } from "./migrate.ts";
import { SqlAgents, SqlBindings } from "./registry-agents.ts";
import { SqlServers } from "./registry-servers.ts";
import { SqlTools } from "./registry-tools.ts";
import { SqlSealedTexts } from "./sealed.ts";
import { SqlBridgeSessions } from "./sessions.ts";

/** Migrates the database first; closes the driver if that fails. Rejects with a TypeError if a newer Zaguan wrote it. */
export async function openSqlStore(driver: SqlDriver): Promise<Store> {
  try {
    await migrate(driver);
  } catch (cause) {
    await driver.close();
    throw cause;
  }
  return {
    keys: new SqlKeys(driver),
    documents: new SqlDocuments(driver),
    registry: {
      servers: new SqlServers(driver),
      tools: new SqlTools(driver),
      agents: new SqlAgents(driver),
      bindings: new SqlBindings(driver),
    },
    apis: new SqlApis(driver),
    sessions: new SqlBridgeSessions(driver),
    mcpSessions: new SqlMcpSessions(driver),
    sealed: new SqlSealedTexts(driver),
    fault: () => driver.fault(),
    onFault: (listener) => driver.onFault(listener),
    close: () => driver.close(),
  };
}
