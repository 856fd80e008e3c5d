/** Who is measured. A new subject is one line in the table; which work it does stands in work.ts. */
import { constant, floorHttp, floorStdio, floorWebSocket, upstreamHttp, upstreamStdio } from "./subjects/floors.ts";
import { mcpProxy, pythonFastmcp, pythonMcpProxy, supergateway } from "./subjects/peers.ts";
import { sdk } from "./subjects/sdk.ts";
import type { Subject } from "./subjects/subject.ts";
import { zaguan } from "./subjects/zaguan.ts";

const ONE_SERVER = { path: "/servers/up/mcp" };
const THOUSAND = { idleSources: 999 };

export const SUBJECTS: readonly Subject[] = [
  { name: "floor-stdio", what: "bare relay, stdio upstream", ours: true, start: floorStdio },
  { name: "floor-2026", what: "the same, 2026-07-28", ours: true, era: "2026", start: floorStdio },
  { name: "floor-http", what: "bare relay, HTTP upstream (undici)", ours: true, start: floorHttp },
  { name: "floor-ws", what: "bare relay, WebSocket to stdio (ws)", ours: true, start: floorWebSocket },
  { name: "zaguan", what: "Zaguan at /mcp", ours: true, start: (work) => zaguan(work) },
  { name: "zaguan-2026", what: "the same, 2026-07-28", ours: true, era: "2026", start: (work) => zaguan(work) },
  { name: "zaguan-server", what: "Zaguan at /servers/up/mcp", ours: true, start: (work) => zaguan(work, ONE_SERVER) },
  { name: "zaguan-1000", what: "Zaguan, 999 idle sources", ours: true, start: (work) => zaguan(work, THOUSAND) },
  { name: "supergateway", what: "npm, stateful, no log, at most 16 sessions (a process each)", start: supergateway },
  { name: "mcp-proxy", what: "npm, stream only, no event store", start: mcpProxy },
  { name: "py-fastmcp", what: "PyPI fastmcp, proxy from a configuration file", start: pythonFastmcp },
  { name: "py-mcp-proxy", what: "PyPI mcp-proxy, stateful", start: pythonMcpProxy },
  { name: "sdk-v1", what: "official SDK 1, no gateway, sessions, JSON answers", start: (work) => sdk("v1", work) },
  { name: "sdk-v2", what: "official SDK 2, no gateway", start: (work) => sdk("v2", work) },
  { name: "upstream-stdio", what: "the stdio upstream by itself", ours: true, start: upstreamStdio },
  { name: "upstream-http", what: "the HTTP upstream by itself", ours: true, start: upstreamHttp },
  { name: "generator", what: "the generator's ceiling: a constant from a bare socket", ours: true, start: constant },
];

/** Zaguan of another checkout, as it is compared with this one. */
export const BEFORE = "before";

export function subjectNamed(name: string, before?: string): Subject {
  if (name === BEFORE && before !== undefined)
    return { name, what: `Zaguan of ${before}`, ours: true, start: (work) => zaguan(work, { checkout: before }) };
  const found = SUBJECTS.find((subject) => subject.name === name);
  if (!found) throw new Error(`no subject "${name}"; there are ${SUBJECTS.map((subject) => subject.name).join(", ")}`);
  return found;
}
