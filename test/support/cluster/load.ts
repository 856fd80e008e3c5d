/**
 * Clients that make calls in a mix determined by a seed: bare JSON-RPC or revision 2026-07-28, short and longer calls, now and then
 * a large answer. They never repeat a call, and record the answer to each.
 */
import { RpcOverHttp, type RpcReply } from "../rpc-over-http.ts";
import { Random, SEED } from "../seed.ts";
import { stateless } from "../stateless-message.ts";
import { NODE_HEADER } from "./balancer.ts";
import { pause, sharedNow } from "./clock.ts";
import type { Fate, MadeCall } from "./verdict.ts";

const STATELESS_HEADERS = {
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
};
const LARGE_BYTES = 300_000;

/** A client that records its calls and their answers. */
export class Caller {
  readonly calls: MadeCall[] = [];
  readonly #name: string;
  readonly #client: RpcOverHttp;

  /** @param name the prefix of the tags of its calls, unique among callers */
  constructor(url: string, name: string, connections: number) {
    this.#name = name;
    this.#client = new RpcOverHttp(url, connections);
  }

  /** Makes a call and resolves with its record; never rejects. */
  async call(source: string, tool: string, args: object, isBare = true): Promise<MadeCall> {
    const call: MadeCall = { tag: `${this.#name}-${this.calls.length + 1}`, source, sentAt: sharedNow() };
    this.calls.push(call);
    const params = { name: `${source}__${tool}`, arguments: { ...args, tag: call.tag } };
    const message = isBare
      ? { jsonrpc: "2.0", id: call.tag, method: "tools/call", params }
      : stateless(call.tag, "tools/call", params);
    const headers = isBare ? {} : { ...STATELESS_HEADERS, "mcp-name": params.name };
    try {
      const answer = await this.#client.send("POST", "/mcp", JSON.stringify(message), headers);
      call.via = answer.headers[NODE_HEADER] as string | undefined;
      call.fate = fateOf(answer.text);
      if (call.fate !== "result") call.said = `${answer.status} ${answer.text.slice(0, 300)}`;
    } catch (cause) {
      call.fate = "lost";
      call.said = String(cause);
    }
    call.answeredAt = sharedNow();
    return call;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

interface LoadOptions {
  readonly url: string;
  readonly name: string;
  readonly sources: readonly string[];
  readonly clients: number;
  /** The mean pause between two calls of one client. */
  readonly pauseMs: number;
  /** The longest time that a call takes at its source. */
  readonly mostWorkMs: number;
}

/** Many clients, each with one call at a time, until they are stopped. */
export class Load {
  readonly #options: LoadOptions;
  readonly #caller: Caller;
  readonly #clients: Promise<void>[];
  #isOver = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#caller = new Caller(options.url, options.name, 2 * options.clients);
    this.#clients = Array.from({ length: options.clients }, (_, index) => this.#work(new Random(SEED + index)));
  }

  get calls(): readonly MadeCall[] {
    return this.#caller.calls;
  }

  /** Resolves when every call has its answer. */
  async stop(): Promise<readonly MadeCall[]> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    await this.#caller.close();
    return this.calls;
  }

  /** Each client has its own random numbers, so that its calls do not depend on the timing of the others. */
  async #work(dice: Random): Promise<void> {
    const { sources, pauseMs, mostWorkMs } = this.#options;
    while (!this.#isOver) {
      const source = dice.pick(sources);
      const isLarge = dice.chance(50);
      // Most calls are short; one in four takes longer, so that some are always running.
      const ms = dice.chance(4) ? dice.int(mostWorkMs) : dice.int(20);
      const isBare = dice.chance(2);
      if (isLarge) await this.#caller.call(source, "fill", { bytes: LARGE_BYTES }, isBare);
      else await this.#caller.call(source, "work", { ms }, isBare);
      await pause(pauseMs * 2 * dice.fraction());
    }
  }
}

/** What an answer says about the call. An error page of the balancer is not JSON. */
function fateOf(text: string): Fate {
  let reply: RpcReply;
  try {
    reply = JSON.parse(text) as RpcReply;
  } catch {
    return "lost";
  }
  if (reply.result) return "result";
  const delivery = reply.error?.data?.["delivery"];
  return delivery === "not_sent" || delivery === "unknown" || delivery === "executed" ? delivery : "untold";
}
