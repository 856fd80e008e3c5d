/**
 * An MCP server whose calls wait until they are cancelled, and which keeps a ledger of what it was asked and told, and
 * when. It speaks one revision and nothing else, on stdio or over Streamable HTTP. No dependencies.
 *
 * SIGUSR1 changes its tools and resources. SIGUSR2 cuts every connection, as a network that fails does.
 *
 * Usage: node main.mjs LEDGER_FILE NAME 2025|2026 [PORT]; with a port (0 for any) it prints its address
 */
import process from "node:process";
import { Ledger } from "./ledger.mjs";
import { serveHttp2025 } from "./over-http-2025.mjs";
import { serveHttp2026 } from "./over-http-2026.mjs";
import { serveLines } from "./over-stdio.mjs";
import { Connection2025 } from "./revision-2025.mjs";
import { Connection2026 } from "./revision-2026.mjs";
import { Tools } from "./tools.mjs";

const [file, name, revision, port] = process.argv.slice(2);
const FORMS = {
  2025: { Connection: Connection2025, serveHttp: serveHttp2025 },
  2026: { Connection: Connection2026, serveHttp: serveHttp2026 },
};
const { Connection, serveHttp } = FORMS[revision];
// Before anybody can know of this process.
process.on("SIGUSR1", () => tools.change());
const tools = new Tools(name, new Ledger(file, name));
if (port === undefined) serveLines((send) => new Connection(tools, send));
else console.log(await serveHttp(tools, Number(port)));
