/**
 * What nodes tell each other about the sources that only one of them holds. The owner of a source broadcasts its state and what
 * it announces; the other nodes show that, and send the owner what their clients have to tell the source.
 */
import type { Peer } from "../cluster/peer.ts";
import type { Caller } from "../core/call.ts";
import type { Hub } from "../core/hub.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { Source, SourceKind, SourceStatus } from "../sources/source.ts";
import { type ForwardingSetup, ForwardingSource, type NoticeToOwner } from "./forwarding-source.ts";
import type { HeldSources } from "./held-sources.ts";
import { identityAt } from "./wire.ts";

/** A message between nodes about one source: from its owner to all, or from any node to its owner. */
export type SourceMessage =
  | { readonly of: "source"; readonly source: string; readonly news: SourceNews }
  | { readonly of: "owner"; readonly source: string; readonly news: OwnerNews };

type SourceNews =
  | { readonly what: "tools" }
  | { readonly what: "up"; readonly isAgain: boolean }
  | { readonly what: "said"; readonly method: string; readonly params: string }
  | { readonly what: "status"; readonly status: SourceStatus };

type OwnerNews =
  | { readonly what: "left"; readonly identity: string }
  | { readonly what: "restart" }
  | {
      readonly what: "notify";
      readonly method: string;
      readonly params: string;
      readonly identity?: string | undefined;
    };

interface SharedSourcesSetup {
  /** The name of this node. */
  readonly node: string;
  readonly held: HeldSources;
  /** All other live nodes. */
  others(): readonly Peer[];
  /** The live node that holds the source, if it is known. */
  ownerOf(source: string): Peer | undefined;
  readonly forward: ForwardingSetup["forward"];
  /** Sends to every other node; false if the message certainly did not leave. */
  cast(message: SourceMessage): boolean;
  tell(to: Peer, message: SourceMessage): void;
}

/** The most lines of a source's log that other nodes get with its status. */
const MOST_LINES = 20;

export class SharedSources {
  readonly #setup: SharedSourcesSetup;
  /** The stand-ins at this node for sources of other nodes, by name. */
  readonly #forwarding = new Map<string, ForwardingSource>();
  /** Held sources whose status has changed and was not sent yet. */
  readonly #unsentStatuses = new Set<string>();
  /** Held sources that changed during the last absence of NATS, when nobody could be told. */
  readonly #missedChanges = new Set<string>();
  /** Boot ids of the nodes that have got the status of all held sources. */
  #informed = new Set<string>();
  /** Nodes that were taken for dead, with their boot ids. */
  readonly #missing = new Map<string, string>();
  #hub: Hub | undefined;

  constructor(setup: SharedSourcesSetup) {
    this.#setup = setup;
  }

  enter(hub: Hub): void {
    this.#hub = hub;
  }

  /** A stand-in for a source of another node, which forwards every request to the owner. */
  openForwarding(name: string, kind: SourceKind<unknown>): Source {
    const source = new ForwardingSource(name, kind, {
      forward: this.#setup.forward,
      tellOwner: (of, notice) => this.#tellOwner(of, notice),
      ownerOf: (of) => this.#setup.ownerOf(of)?.node,
      closed: (closed) => this.#forwarding.get(name) === closed && this.#forwarding.delete(name),
    });
    this.#forwarding.set(name, source);
    return source;
  }

  /**
   * Broadcasts what a source has announced, if this node holds it. A source that every node connects to by itself announces it to
   * each of them.
   */
  announce(source: string, news: SourceNews): void {
    if (!this.#setup.held.isOurs(source) || !isForAll(news)) return;
    if (!this.#setup.cast({ of: "source", source, news }) && news.what !== "said") this.#missedChanges.add(source);
  }

  /** Broadcasts the status of a held source, once for all changes within one turn of the event loop. */
  statusChanged(source: string): void {
    if (!this.#setup.held.isOurs(source)) return;
    if (this.#unsentStatuses.size === 0) setImmediate(() => this.#sendStatuses());
    this.#unsentStatuses.add(source);
  }

  /** Sends the status of all held sources to each node that has joined since the last call. */
  informNewcomers(): void {
    const { held, others, tell } = this.#setup;
    const peers = others();
    for (const peer of peers.filter(({ boot }) => !this.#informed.has(boot)))
      for (const message of held.held().flatMap((source) => this.#statusOf(source) ?? [])) tell(peer, message);
    this.#informed = new Set(peers.map(({ boot }) => boot));
  }

  /** NATS is away: from now on changes that cannot be sent are collected. */
  busLost(): void {
    this.#missedChanges.clear();
  }

  /** NATS or a node is back: has the others list again the sources that changed meanwhile. */
  resendMissed(): void {
    for (const source of this.#missedChanges)
      if (this.#setup.held.isOurs(source)) this.#setup.cast({ of: "source", source, news: { what: "tools" } });
  }

  /**
   * A node has joined or left. One that was only silent comes back as what it was: its sources are listed again, since what it said of
   * them meanwhile was not heard, or was heard before it counted as alive, when its sources could not be listed.
   */
  memberChanged({ node, boot }: Peer, isThere: boolean): void {
    if (!isThere) {
      this.#missing.set(node, boot);
      return;
    }
    const isBack = this.#missing.get(node) === boot;
    this.#missing.delete(node);
    if (!isBack) return;
    for (const source of this.#forwarding.keys())
      if (this.#setup.ownerOf(source)?.boot === boot) this.#hub?.refresh(source);
  }

  received({ node }: Peer, message: SourceMessage): void {
    if (message.of === "source") this.#receivedFromOwner(node, message.source, message.news);
    else this.#receivedAsOwner(message.source, message.news);
  }

  #receivedFromOwner(owner: string, source: string, news: SourceNews): void {
    if (this.#setup.held.isOurs(source) || !this.#hub) return;
    if (news.what === "status") this.#forwarding.get(source)?.statusReported(owner, news.status);
    else if (news.what === "said") this.#hub.notified(source, news.method, Payload.ofText(news.params));
    else this.#forwarding.get(source)?.forgetFace();
    if (news.what === "tools") this.#hub.refresh(source);
    if (news.what === "up") this.#hub.cameUp(source, news.isAgain);
  }

  #receivedAsOwner(name: string, news: OwnerNews): void {
    const source = this.#runningHere(name);
    if (!source) return;
    if (news.what === "restart") void source.restart();
    else if (news.what === "left") source.left?.(clientOf(news.identity));
    else source.notify(news.method, Payload.ofText(news.params), news.identity ? clientOf(news.identity) : undefined);
  }

  #sendStatuses(): void {
    for (const source of this.#unsentStatuses) {
      const message = this.#statusOf(source);
      if (message) this.#setup.cast(message);
    }
    this.#unsentStatuses.clear();
  }

  #statusOf(name: string): SourceMessage | undefined {
    const status = this.#runningHere(name)?.status();
    if (!status) return undefined;
    const news = { what: "status", status: { ...status, log: status.log.slice(-MOST_LINES) } } as const;
    return { of: "source", source: name, news };
  }

  #runningHere(name: string): Source | undefined {
    const source = this.#hub?.sources().find((one) => one.name === name);
    return source?.isElsewhere ? undefined : source;
  }

  #tellOwner(source: string, notice: NoticeToOwner): void {
    const owner = this.#setup.ownerOf(source);
    const message: SourceMessage = { of: "owner", source, news: this.#toNews(notice) };
    if (owner) this.#setup.tell(owner, message);
    // While the owner is unknown, all nodes get it: the one that holds the source acts on it.
    else this.#setup.cast(message);
  }

  #toNews(notice: NoticeToOwner): OwnerNews {
    const { node } = this.#setup;
    if (notice.kind === "restart") return { what: "restart" };
    if (notice.kind === "left") return { what: "left", identity: identityAt(node, notice.caller) };
    const identity = notice.caller && identityAt(node, notice.caller);
    return { what: "notify", method: notice.method, params: notice.params.text, identity };
  }
}

/** Any other notification belongs to one call, which the owner alone knows: it is sent along with that call. */
function isForAll(news: SourceNews): boolean {
  if (news.what !== "said") return true;
  return news.method.endsWith("/list_changed") || news.method === "notifications/resources/updated";
}

/** A client of another node, for a notice that a source gets about it: only its identity matters then. */
function clientOf(identity: string): Caller {
  const nothing = Payload.ofValue({});
  return {
    identity,
    canBeAsked: true,
    capabilities: nothing,
    info: undefined,
    comesAgain: false,
    logLevel: undefined,
    wantsLog: () => false,
    request: () => Promise.reject(new TypeError("it cannot be asked")),
  };
}
