/**
 * Calls at a steady pace, from a process of its own: `node load.ts URL PER_SECOND SECONDS`. Who is late does not slow it
 * down, up to a bound. Prints in the end, as JSON, what came of it.
 */
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { RpcOverHttp } from "../../support/rpc-over-http.ts";

const [url = "", perSecond = "500", seconds = "10"] = process.argv.slice(2);
const TURN_MS = 10;
const MOST_OPEN = 400;
/** They read, so that the house's file is not what is measured. */
const TOOLS = ["get_presence", "get_all_states", "list_lights_on"];

const client = new RpcOverHttp(url, 32);
const began = performance.now();
const end = began + Number(seconds) * 1_000;
const outcome = { wanted: 0, sent: 0, answered: 0, failed: 0, heldBack: 0 };
let open = 0;

async function call(place: number): Promise<void> {
  open++;
  outcome.sent++;
  try {
    const { status } = await client.call(TOOLS[place % TOOLS.length] ?? "", { name: "salon" }, place);
    if (status === 200) outcome.answered++;
    else outcome.failed++;
  } catch {
    outcome.failed++;
  }
  open--;
}

while (performance.now() < end) {
  const due = Math.floor(((performance.now() - began) / 1_000) * Number(perSecond));
  for (; outcome.wanted < due; outcome.wanted++) {
    if (open < MOST_OPEN) void call(outcome.wanted);
    else outcome.heldBack++;
  }
  await sleep(TURN_MS);
}
while (open > 0) await sleep(TURN_MS);
console.log(JSON.stringify({ ...outcome, seconds: (performance.now() - began) / 1_000 }));
await client.close();
