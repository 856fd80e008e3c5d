/**
 * Measures a fresh hub from outside: time from the start of the process to the first answer of `tools/list`, and resident
 * memory once it is idle. Prints the median of several starts; decides nothing, since machines differ.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("./zaguan.mjs", import.meta.url));
const ROUNDS = 5;
const IDLE_MS = 3_000;

interface Sample {
  readonly firstAnswerMs: number;
  readonly idleMegabytes: number;
}

const samples: Sample[] = [];
for (let round = 0; round < ROUNDS; round++) {
  samples.push(await measureOnce());
  process.stderr.write(`round ${round + 1}/${ROUNDS}\r`);
}
console.log(
  `first answer  ${median(samples.map((sample) => sample.firstAnswerMs)).toFixed(0)} ms (median of ${ROUNDS})`,
);
console.log(`idle memory   ${median(samples.map((sample) => sample.idleMegabytes)).toFixed(1)} MB resident`);

async function measureOnce(): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), "zaguan-measure-"));
  const startedAt = performance.now();
  const args = [MAIN, "serve", "--port", "0", "--data", join(folder, "data"), "--config", join(folder, "zaguan.json")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await listTools(await addressOf(child));
    const firstAnswerMs = performance.now() - startedAt;
    await sleep(IDLE_MS);
    return { firstAnswerMs, idleMegabytes: await residentMegabytes(child.pid as number) };
  } finally {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    await rm(folder, { recursive: true, force: true });
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (found) resolve(found[0]);
    });
    child.once("exit", (code) => reject(new Error(`the hub ended with code ${code} before it answered`)));
  });
}

async function listTools(address: string): Promise<void> {
  const answer = await fetch(`${address}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  const { result } = (await answer.json()) as { result: { tools: readonly { name: string }[] } };
  if (!result.tools.some((tool) => tool.name === "set_light_state")) throw new Error("the house's tools are missing");
}

/** From the kernel's own account; where there is no /proc, not known. */
async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
