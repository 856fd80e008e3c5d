/**
 * The links of one agent while somebody ticks: what is wanted is shown at once, and what the hub has follows. For each
 * tool one request is under way at most, so that however fast somebody ticks, no link is made twice and the last word
 * counts.
 */
import type { Binding, BindingConfig, BoundTool } from "../../../contract/agent.ts";
import type { Tool } from "../../../contract/tool.ts";

/** How the hub is told. */
export interface LinkPorts {
  bind(toolId: string, enabled: boolean): Promise<Binding>;
  change(bindingId: string, enabled: boolean): Promise<Binding>;
  /** Also resolves where there was nothing to take away. */
  unbind(bindingId: string): Promise<void>;
}

interface LinkEvents {
  /** What is shown is new. */
  changed(): void;
  failed(tool: Tool, cause: unknown): void;
  /** Nothing is under way any more. */
  settled(): void;
}

/** One tool, as it is wanted. */
export interface LinkRow {
  readonly tool: Tool;
  readonly enabled: boolean;
  readonly config: BindingConfig | null;
  /** Undefined until the hub has made the link. */
  readonly bindingId: string | undefined;
  readonly busy: boolean;
}

interface Entry {
  readonly tool: Tool;
  /** As the hub has it; undefined: no link. */
  binding: Binding | undefined;
  /** As it should be; undefined: no link. */
  wanted: { readonly enabled: boolean } | undefined;
  running: boolean;
}

/** A browser has six connections to a host, and one of them carries the events. */
const AT_ONCE = 4;

export class LinkDesk {
  readonly #ports: LinkPorts;
  readonly #events: LinkEvents;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #wishes = 0;

  constructor(ports: LinkPorts, events: LinkEvents) {
    this.#ports = ports;
    this.#events = events;
  }

  /** Grows with every change that is wanted here: a list that was asked for before the last one is out of date. */
  get wishes(): number {
    return this.#wishes;
  }

  get isSettled(): boolean {
    return [...this.#entries.values()].every(({ running }) => !running);
  }

  /** In the order of the hub's list, new ones last. */
  rows(): readonly LinkRow[] {
    return [...this.#entries.values()].flatMap(({ tool, binding, wanted, running }) => {
      if (!wanted) return [];
      return [{ tool, ...wanted, config: binding?.config ?? null, bindingId: binding?.id, busy: running }];
    });
  }

  isLinked(toolId: string): boolean {
    return this.#entries.get(toolId)?.wanted !== undefined;
  }

  isBusy(toolId: string): boolean {
    return this.#entries.get(toolId)?.running ?? false;
  }

  /** What the hub has, asked for when `wishes` was what is given here. Tells whether it was taken. */
  load(bound: readonly BoundTool[], wishes: number): boolean {
    if (wishes !== this.#wishes || !this.isSettled) return false;
    this.#entries.clear();
    for (const { tool, ...binding } of bound) {
      this.#entries.set(tool.id, { tool, binding, wanted: { enabled: binding.enabled }, running: false });
    }
    this.#events.changed();
    return true;
  }

  link(tool: Tool, enabled = true): void {
    this.#want(tool, { enabled });
  }

  unlink(tool: Tool): void {
    this.#want(tool, undefined);
  }

  #want(tool: Tool, wanted: Entry["wanted"]): void {
    const entry = this.#entries.get(tool.id) ?? { tool, binding: undefined, wanted: undefined, running: false };
    this.#entries.set(tool.id, entry);
    this.#wishes++;
    entry.wanted = wanted;
    if (!entry.running && !isAsWanted(entry)) void this.#follow(entry);
    this.#events.changed();
  }

  /** Sends requests until the hub has what is wanted by then. */
  async #follow(entry: Entry): Promise<void> {
    entry.running = true;
    await this.#turn();
    try {
      while (!isAsWanted(entry)) entry.binding = await this.#step(entry);
    } catch (cause) {
      entry.wanted = entry.binding && { enabled: entry.binding.enabled };
      this.#events.failed(entry.tool, cause);
    }
    entry.running = false;
    this.#leave();
    this.#events.changed();
    if (this.isSettled) this.#events.settled();
  }

  async #step({ tool, binding, wanted }: Entry): Promise<Binding | undefined> {
    if (!binding) return wanted && this.#ports.bind(tool.id, wanted.enabled);
    if (wanted) return this.#ports.change(binding.id, wanted.enabled);
    await this.#ports.unbind(binding.id);
    return undefined;
  }

  async #turn(): Promise<void> {
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
  }

  /** Lets the next request begin. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}

function isAsWanted({ binding, wanted }: Entry): boolean {
  return binding?.enabled === wanted?.enabled;
}
