/** Load that does not wait for answers: so many requests per second, whatever becomes of them. */
import { setTimeout as sleep } from "node:timers/promises";
import { RawClient } from "./raw-client.ts";

export interface Timed {
  readonly ms: number;
  /** Since the load began. */
  readonly at: number;
}

export interface Outcome extends Timed {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

export interface Stream {
  readonly perSecond: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly tool: string;
}

const TICK_MS = 5;

/** All streams at once, their requests evenly spread between each other's; resolves when the last answer has come. */
export async function openLoad(url: string, streams: readonly Stream[], seconds: number): Promise<Outcome[][]> {
  const client = new RawClient(Number(new URL(url).port));
  const requests = streams.map((stream) => requestOf(url, stream));
  const outcomes = streams.map((): Outcome[] => []);
  const running = new Set<Promise<void>>();
  const startedAt = performance.now();
  const sent = streams.map(() => 0);
  for (let now = 0; now < seconds * 1_000; now = performance.now() - startedAt) {
    for (const [place, stream] of streams.entries()) {
      const due = Math.floor((now * stream.perSecond) / 1_000 + place / streams.length);
      for (; (sent[place] ?? 0) < due; sent[place] = (sent[place] ?? 0) + 1) {
        const one = post(client, requests[place] ?? "", startedAt).then((outcome) => {
          outcomes[place]?.push(outcome);
          running.delete(one);
        });
        running.add(one);
      }
    }
    await sleep(TICK_MS);
  }
  await Promise.all(running);
  client.close();
  return outcomes;
}

function requestOf(url: string, { headers, tool }: Stream): string {
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{}}}`;
  const all = {
    host: new URL(url).host,
    "content-type": "application/json",
    "content-length": body.length,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `POST /mcp/tools/call HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

async function post(client: RawClient, request: string, startedAt: number): Promise<Outcome> {
  const sentAt = performance.now();
  const answer = await client.send(request);
  const now = performance.now();
  return { ...answer, ms: now - sentAt, at: now - startedAt };
}

export function quantileOf(outcomes: readonly Timed[], share: number): number {
  const sorted = outcomes.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
