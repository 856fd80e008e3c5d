/**
 * Finds a server's tools: up to three attempts, each of which tries every way that may lead to the server, within one
 * limit of time for all of it. What was tried is told step by step, for whoever asks why it failed.
 */
import type { ServerConfig } from "../config/types.ts";
import type { DiscoveryStep } from "../contract/server.ts";
import type { ToolDefinition } from "../core/call.ts";
import type { Clock, Random } from "../core/ports.ts";
import { unfitness } from "../core/unfit-tools.ts";
import { isAddressRefusal, toZaguanError, ZaguanError } from "../errors.ts";
import { type CancelSignal, LightAbort } from "../light-abort.ts";
import type { FoundTool } from "../store/registry.ts";
import type { Probed, Prober } from "./ports.ts";

const ATTEMPTS = 3;
/** As the first system did: 400, 800, 1600 ms; here with jitter, so that many servers do not come back at once. */
const FIRST_DELAY_MS = 400;

export interface DiscoveryPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly prober: Prober;
}

/** What came of it, and what was tried. */
export interface Discovered {
  readonly ms: number;
  readonly steps: readonly DiscoveryStep[];
  readonly found?: Probed | undefined;
  readonly error?: ZaguanError | undefined;
}

/** Of whoever waits for it. */
interface Patience {
  /** Aborted when nobody waits any more. */
  readonly left?: CancelSignal | undefined;
  /** @default 3 */
  readonly attempts?: number | undefined;
}

export async function discover(
  ports: DiscoveryPorts,
  name: string,
  server: ServerConfig | undefined,
  limitMs: number,
  { left, attempts = ATTEMPTS }: Patience = {},
): Promise<Discovered> {
  const story = new Story(ports.clock, attempts);
  const over = new LightAbort();
  const stop = ports.clock.after(limitMs, () => over.abort(tooSlow(name, limitMs)));
  const leave = (): void => over.abort(new ZaguanError("CANCELLED"));
  left?.addEventListener("abort", leave, { once: true });
  if (left?.aborted) leave();
  try {
    const found = await tryAll(ports, name, server, over, story);
    return { ms: story.ms, steps: story.steps, found };
  } catch (cause) {
    const error = over.aborted ? toZaguanError(over.reason) : toZaguanError(cause);
    if (over.aborted) story.add("discovery", left?.aborted ? "nobody waits" : `given up after ${limitMs / 1_000} s`);
    return { ms: story.ms, steps: story.steps, error };
  } finally {
    left?.removeEventListener("abort", leave);
    stop();
  }
}

async function tryAll(
  { clock, random, prober }: DiscoveryPorts,
  name: string,
  server: ServerConfig | undefined,
  over: LightAbort,
  story: Story,
): Promise<Probed> {
  for (;;) {
    if (over.aborted) throw over.reason;
    story.attempt++;
    try {
      return await orAborted(
        prober.probe(name, server, over, (transport, outcome) => story.add(transport, outcome)),
        over,
      );
    } catch (cause) {
      const error = toZaguanError(cause);
      if (over.aborted || story.isLast || !isWorthAnother(error)) throw error;
      await sleep(clock, FIRST_DELAY_MS * 2 ** (story.attempt - 1) * (0.5 + random()), over);
    }
  }
}

/** What is forbidden, or refused for want of a right, is so the next time too. */
function isWorthAnother(error: ZaguanError): boolean {
  const status = (error.details.cause as { status?: unknown } | undefined)?.status;
  return !isAddressRefusal(error) && error.code !== "FORBIDDEN" && ![401, 403, 508].includes(Number(status));
}

/** The steps so far, with their times. */
class Story {
  attempt = 0;
  readonly #steps: DiscoveryStep[] = [];
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #attempts: number;

  constructor(clock: Clock, attempts: number) {
    this.#clock = clock;
    this.#attempts = attempts;
    this.#startedAt = clock.now();
  }

  get isLast(): boolean {
    return this.attempt >= this.#attempts;
  }

  get ms(): number {
    return Math.round(this.#clock.now() - this.#startedAt);
  }

  /** As they are now: a way that was given up may still tell of itself. */
  get steps(): readonly DiscoveryStep[] {
    return [...this.#steps];
  }

  add(transport: string, outcome: string): void {
    this.#steps.push({ attempt: this.attempt, atMs: this.ms, transport, outcome });
  }
}

/** A prober that does not heed its signal is not waited for. */
function orAborted<Result>(work: Promise<Result>, over: LightAbort): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(over.reason);
    over.addEventListener("abort", leave);
    work.then(resolve, reject).finally(() => over.removeEventListener("abort", leave));
  });
}

function sleep(clock: Clock, ms: number, over: LightAbort): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      stop();
      reject(over.reason);
    };
    const stop = clock.after(ms, () => {
      over.removeEventListener("abort", leave);
      resolve();
    });
    over.addEventListener("abort", leave);
  });
}

function tooSlow(source: string, limitMs: number): ZaguanError {
  const params = { source, reason: `it did not answer within ${limitMs / 1_000} s` };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "unknown" });
}

/** What a tool is for; AutoAgentes' servers say it, MCP's do not. */
const USUAL_SCOPE = "global";

/** The definition of a tool as it was found. */
export function definitionOf({ definition }: Pick<FoundTool, "definition">): ToolDefinition {
  return JSON.parse(definition) as ToolDefinition;
}

/** A tool as the registry keeps it, with what is wrong where it is kept but not offered. */
export function foundTool(tool: ToolDefinition): FoundTool {
  const quarantine = unfitness(tool);
  const { name, description, scope } = tool as ToolDefinition & { readonly scope?: unknown };
  return {
    name,
    description: typeof description === "string" ? description : "",
    scope: typeof scope === "string" && scope !== "" ? scope : USUAL_SCOPE,
    // What is unfit may be so because it is too deep to be written out.
    definition: JSON.stringify(quarantine === undefined ? tool : { name, inputSchema: {} }),
    quarantine,
  };
}
