/** The infrared ability as its tools' callers see it, on a clock that stands still: nothing is over before a test says so. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type InfraredSettings, infrared } from "../../../src/abilities/infrared/index.ts";
import { type CancelSignal, LightAbort } from "../../../src/light-abort.ts";
import type { Language } from "../../../src/messages/catalogue.ts";
import { memoryDocuments } from "../../../src/store/memory-documents.ts";
import type { AnyUserTool, ArgumentsOf, Properties, ToolAnswer } from "../../../src/user-tools/tool.ts";
import { FakeClock } from "../fake-clock.ts";

export interface CallOptions {
  readonly language?: Language;
  readonly signal?: CancelSignal;
}

export type Arguments = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string>>;

/** Knows how often it was looked at. */
class WatchedClock extends FakeClock {
  looks = 0;

  override now(): number {
    this.looks += 1;
    return super.now();
  }
}

export class OpenInfrared {
  readonly folder: string;
  readonly tools: readonly AnyUserTool[];
  readonly clock: WatchedClock;
  readonly log: readonly string[];
  readonly close: () => Promise<void>;

  private constructor(given: Pick<OpenInfrared, "folder" | "tools" | "clock" | "log" | "close">) {
    ({ folder: this.folder, tools: this.tools, clock: this.clock, log: this.log, close: this.close } = given);
  }

  static async open(settings: Partial<InfraredSettings>, env: Environment = {}): Promise<OpenInfrared> {
    const folder = await mkdtemp(join(tmpdir(), "infrared-"));
    const [clock, log] = [new WatchedClock(1_000_000), [] as string[]];
    const context = {
      clock,
      documents: memoryDocuments(),
      env: { PATH: process.env["PATH"], ...env },
      call: (): Promise<string> => assert.fail("infrared calls no tools"),
      attached: Promise.resolve(),
      principalOf: async () => undefined,
      check: async () => {},
      log: (line: string): void => void log.push(line),
    };
    const { tools, close } = await infrared.open({ folder, ...settings }, context);
    const clean = async (): Promise<void> => {
      await close();
      await rm(folder, { recursive: true, force: true });
    };
    return new OpenInfrared({ folder, tools, clock, log, close: clean });
  }

  async call(name: string, args: Arguments = {}, options: CallOptions = {}): Promise<ToolAnswer> {
    const tool = this.tools.find((one) => one.name === `self.ir.${name}`) ?? assert.fail(`no tool ${name}`);
    const { language = "zh", signal = new LightAbort() } = options;
    const given = { ...defaultsOf(tool.properties ?? {}), ...args } as ArgumentsOf<Properties>;
    return await tool.handler(given, { language, signal });
  }

  async failure(name: string, args: Arguments = {}, options: CallOptions = {}): Promise<string> {
    return await this.call(name, args, options).then(
      (answer) => assert.fail(`it did not fail: ${JSON.stringify(answer)}`),
      (error: Error) => error.message,
    );
  }

  /**
   * Lets time pass until that is settled, and tells how much. Before the next step whoever reads the line has looked at the
   * clock: time goes no faster than they do, however slow the machine is.
   */
  async passUntil(work: Promise<unknown>, stepMs = 100): Promise<number> {
    const start = this.clock.now();
    let over = false;
    const end = (): void => {
      over = true;
    };
    void work.then(end, end);
    for (; !over; await this.#seen(() => over)) await this.clock.advance(stepMs);
    return this.clock.now() - start;
  }

  /** Resolves when so much time has passed. */
  clockAfter(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms, resolve));
  }

  async #seen(over: () => boolean): Promise<void> {
    const { looks } = this.clock;
    while (!over() && this.clock.looks < looks + 2) await sleep(1);
  }
}

function defaultsOf(properties: Properties): Record<string, unknown> {
  const known = Object.entries(properties).filter(([, property]) => property.default !== undefined);
  return Object.fromEntries(known.map(([name, property]) => [name, property.default]));
}
