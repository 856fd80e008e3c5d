/** From the start of a process to its first right answer: the list of the upstream's one tool, in a session. */
import { isRunnable } from "./compare.ts";
import { INITIALIZE, INITIALIZED } from "./load/messages.ts";
import type { StartResult } from "./results.ts";
import type { Tools } from "./rounds.ts";
import { subjectNamed } from "./subjects.ts";
import { WORK, type Work } from "./work.ts";

const STARTED = ["floor-stdio", "zaguan", "supergateway", "mcp-proxy", "py-fastmcp", "py-mcp-proxy"];
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

export async function measureStarts({ options, progress }: Tools): Promise<StartResult[]> {
  const work = WORK[0] as Work;
  const found = new Map<string, { milliseconds: number[]; missing?: string }>();
  for (const name of STARTED)
    if (name.startsWith("floor") || isRunnable(name, options)) found.set(name, { milliseconds: [] });
  // What is loaded at the first use of all is nobody's.
  await fetch("http://127.0.0.1:1").catch(() => {});
  for (let round = 0; round <= options.rounds; round++) {
    for (const [name, result] of found) {
      if (result.missing !== undefined) continue;
      progress(`start: round ${round}/${options.rounds}, ${name}`);
      try {
        const milliseconds = await measureStart(name, work);
        // The first start fills caches that every later one finds.
        if (round > 0) result.milliseconds.push(milliseconds);
      } catch (error) {
        result.missing = (error as Error).message.slice(0, 200);
      }
    }
  }
  return [...found].map(([name, result]) => ({ name, ...result }));
}

async function measureStart(name: string, work: Work): Promise<number> {
  const startedAt = performance.now();
  const running = await subjectNamed(name).start(work);
  try {
    if (running.target.kind !== "http") throw new Error("it has no URL");
    await firstList(running.target.url);
    return performance.now() - startedAt;
  } finally {
    await running.stop();
  }
}

async function firstList(url: string): Promise<void> {
  const greeting = await post(url, INITIALIZE, {});
  await greeting.text();
  const session = greeting.headers.get("mcp-session-id");
  const headers = { "mcp-protocol-version": "2025-11-25", ...(session ? { "mcp-session-id": session } : {}) };
  await (await post(url, INITIALIZED, headers)).text();
  const answer = await (await post(url, LIST, headers)).text();
  if (!answer.includes('"echo"')) throw new Error(`no list: ${answer.slice(0, 200)}`);
}

function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, { method: "POST", headers: { ...HEADERS, ...headers }, body });
}
