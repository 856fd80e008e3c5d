/**
 * Several hubs in this process as the nodes of one cluster, over a bus and a table of leases in memory. They share one source,
 * `lamp`, which does what a test tells it and takes one call at a time; it is attached where its node holds it, as
 * `src/compose/sources.ts` does.
 */
import type { LeaseTable } from "../../src/cluster/lease-table.ts";
import { systemClock } from "../../src/compose/system.ts";
import { DEFAULT_LIMITS } from "../../src/contract/limits.ts";
import type { ToolDefinition } from "../../src/core/call.ts";
import type { Emit, HubEvent } from "../../src/core/events.ts";
import { Hub } from "../../src/core/hub.ts";
import { LocalAnswerCache } from "../../src/core/shared/answer-cache.ts";
import { NodeOfCluster } from "../../src/nodes/node-of-cluster.ts";
import { CallJournal } from "../../src/observe/journal.ts";
import { Payload } from "../../src/protocol/json/payload.ts";
import { SourceDirectory } from "../../src/sources/directory.ts";
import type { Source, SourceRequest } from "../../src/sources/source.ts";
import { OwnerTable } from "../simulation/database.ts";
import { FakeKind } from "./fake-kind.ts";
import { makeSource, makeTool } from "./make-call.ts";
import { MemoryNetwork } from "./memory-bus.ts";
import { until } from "./processes.ts";

export const LAMP = "lamp";

type Behaviour = (request: SourceRequest) => Promise<Payload>;

export interface HubNode {
  readonly name: string;
  readonly hub: Hub;
  readonly node: NodeOfCluster;
  readonly events: readonly HubEvent[];
  /** The calls of its own clients. */
  readonly journal: CallJournal;
  /** A box that dials this node, with one tool; the returned function is its hanging up. */
  dial(device: string, tool: string, about?: DialledDevice): () => void;
  /** Boxes whose sockets this node has closed. */
  readonly dismissed: readonly string[];
}

interface DialledDevice {
  readonly principalId?: string;
  /** Whether it says who it is. @default true */
  readonly isNamed?: boolean;
}

/** What the source was asked, in its order. */
interface Ran {
  readonly node: string;
  readonly request: SourceRequest;
}

const POLICY = { repeatable: [], cacheSeconds: {} };

export class HubNodes {
  /** What each tool does; it answers with its name where nothing is said. */
  readonly behaviours: Record<string, Behaviour> = {};
  readonly ran: Ran[] = [];
  /** The most that the source worked on at the same time, wherever it was. */
  most = 0;
  /** What it lists. */
  tools: readonly ToolDefinition[];
  /** Of the source itself, beside what it answers. */
  overrides: Partial<Source> = {};
  readonly nodes: HubNode[] = [];
  readonly #network = new MemoryNetwork();
  readonly #table = new OwnerTable(() => performance.now() + this.#skippedMs);
  readonly #dead = new Set<string>();
  #skippedMs = 0;
  #boots = 0;
  #running = 0;

  constructor(...tools: readonly string[]) {
    this.tools = tools.map((name) => makeTool(name));
  }

  /** Resolves when one of them holds the source and all know of each other. */
  async start(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.#open(name);
    await until("one of them has it", () => this.#owners().length === 1);
    await until("all are there", () => this.nodes.every(({ node }) => node.others().length === names.length - 1));
  }

  /** Resolves when it knows of the others, who may hold the source long since. */
  async join(name: string): Promise<HubNode> {
    await this.#open(name);
    const joined = this.nodes.at(-1) as HubNode;
    await until("it knows the others", () => joined.node.others().length === this.nodes.length - 1);
    return joined;
  }

  get owner(): HubNode {
    const [owner] = this.#owners();
    if (!owner) throw new Error("nobody has it");
    return owner;
  }

  /** Those who do not hold it. */
  get others(): [HubNode, ...HubNode[]] {
    return this.nodes.filter((one) => one !== this.owner) as [HubNode, ...HubNode[]];
  }

  /** As if its process were killed: it says nothing more, and its lease is over at once. */
  kill({ name, node }: HubNode): void {
    this.#dead.add(name);
    this.#network.cut(name);
    void node.close();
    this.nodes.splice(
      this.nodes.findIndex((one) => one.name === name),
      1,
    );
    this.#skippedMs += 10_000;
  }

  /** It reaches no other node, but the table; until the returned function is called. */
  cutOff({ name }: HubNode): () => void {
    return this.#network.cut(name);
  }

  /** The source says something that belongs to no request. */
  says(method: string, params: object): void {
    const { hub, node } = this.owner;
    const said = Payload.ofValue(params);
    hub.notified(LAMP, method, said);
    node.sources.announce(LAMP, { what: "said", method, params: said.text });
  }

  timesRan(tool: string): number {
    return this.ran.filter(({ request }) => request.name === tool).length;
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map(({ node }) => node.close()));
    await Promise.all(this.nodes.splice(0).map(({ hub }) => hub.close()));
  }

  #owners(): HubNode[] {
    const isHere = ({ hub }: HubNode) => hub.sources().some(({ name, isElsewhere }) => name === LAMP && !isElsewhere);
    return this.nodes.filter(isHere);
  }

  async #open(name: string): Promise<void> {
    const events: HubEvent[] = [];
    const journal = new CallJournal();
    const hub = makeHub((event) => {
      events.push(event);
      journal.take(event);
    });
    const leases = this.#leasesFor(name);
    const self = { node: name, boot: await leases.nextBoot(name) };
    const node = new NodeOfCluster({ self, bus: this.#network.open(name), leases });
    node.enter({
      hub,
      deadline: () => {},
      maxCallMs: () => 300_000,
      onReplaced: () => {},
      report: (cause) => {
        throw cause;
      },
    });
    const directory = new SourceDirectory(hub, node.held);
    const known = { tools: this.tools, offers: {} };
    const attach = async () => hub.attach({ source: this.#source(name), policy: POLICY, known });
    const attachElsewhere = async () =>
      hub.attach({ source: node.sources.openForwarding(LAMP, new FakeKind()), policy: POLICY, known });
    await directory.set("configured", LAMP, { entry: LAMP, attach, attachElsewhere });
    node.held.replace("sources", new Map([[LAMP, undefined]]));
    node.start();
    const dismissed: string[] = [];
    const dial = this.#dialler(name, hub, node, directory, dismissed);
    this.nodes.push({ name, hub, node, events, journal, dismissed, dial });
  }

  /** Devices as `src/compose/devices.ts` and `sources.ts` treat them. */
  #dialler(
    at: string,
    hub: Hub,
    node: NodeOfCluster,
    directory: SourceDirectory,
    dismissed: string[],
  ): HubNode["dial"] {
    const sockets = new Set<string>();
    const away = (device: string): void => void directory.remove("device", device, true);
    node.devices.enter({
      dismiss: (device) => {
        dismissed.push(device);
        sockets.delete(device);
        away(device);
      },
      appeared: (device, tools) => {
        const source = node.sources.openForwarding(device, new FakeKind());
        const attach = async () => hub.attach({ source, policy: POLICY, known: { tools, offers: {} } });
        void directory.set("device", device, { entry: Symbol(), attach, attachElsewhere: attach });
      },
      disappeared: (device, _isLost, isNamed) => void directory.remove("device", device, isNamed),
    });
    return (device, tool, { principalId = "ann", isNamed = true } = {}) => {
      const tools = [makeTool(tool)];
      const source = makeSource(device, {
        listTools: async () => tools,
        request: (request) => this.#run(at, request),
      });
      const attach = async () => hub.attach({ source, policy: POLICY, known: { tools, offers: {} } });
      void directory.set("device", device, { entry: Symbol(), isShared: true, attach });
      sockets.add(device);
      node.devices.dialled(device, principalId, isNamed);
      node.devices.listed(device, tools);
      return () => {
        if (!sockets.delete(device)) return;
        node.devices.hungUp(device);
        away(device);
      };
    };
  }

  #leasesFor(node: string): LeaseTable {
    return {
      request: async (by, request) => {
        if (this.#dead.has(node)) throw new Error("cut off");
        return this.#table.execute(by, request);
      },
      nextBoot: async () => String(++this.#boots).padStart(6, "0"),
    };
  }

  #source(node: string): Source {
    return makeSource(LAMP, {
      listTools: async () => this.tools,
      request: (request) => this.#run(node, request),
      ...this.overrides,
    });
  }

  async #run(node: string, request: SourceRequest): Promise<Payload> {
    this.ran.push({ node, request });
    this.most = Math.max(this.most, ++this.#running);
    try {
      const behave = this.behaviours[request.name];
      return behave ? await behave(request) : Payload.ofValue({ tool: request.name });
    } finally {
      this.#running--;
    }
  }
}

function makeHub(emit: Emit): Hub {
  const limits = { ...DEFAULT_LIMITS, callSeconds: 30, callMaxSeconds: 300, queueLength: 10, queueBurst: 10 };
  return new Hub({
    clock: systemClock,
    random: () => 0.5,
    emit,
    checker: { surelyFits: () => false, check: () => [], fitsCoerced: () => false },
    cache: new LocalAnswerCache(1_000_000),
    rates: { take: () => 0 },
    limits: () => limits,
    onListed: () => {},
  });
}
