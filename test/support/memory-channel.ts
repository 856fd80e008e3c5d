/** Channels between nodes that are all in this test: what one tells, another has heard when `told` was awaited. */
import type { Peer } from "../../src/cluster/peer.ts";
import type { Channel } from "../../src/nodes/channel.ts";

type Take = (from: Peer, news: unknown) => void;

interface Member {
  readonly peer: Peer;
  readonly take: Take;
  readonly listeners: Set<() => void>;
}

export class MemoryChannels {
  readonly #members = new Map<string, Member>();
  /** Nodes that hear nothing, and so say nothing. */
  readonly deaf = new Set<string>();
  /** All that was sent: from whom, to whom, what. */
  readonly sent: { readonly from: string; readonly to: string; readonly news: unknown }[] = [];

  /** For what a part of a node needs to open its channel. */
  open(node: string, boot = `${node}1`): (take: Take) => Channel {
    const peer = { node, boot };
    return (take) => {
      const member = { peer, take, listeners: new Set<() => void>() };
      this.#members.set(node, member);
      const others = (): Peer[] => [...this.#members.values()].map((one) => one.peer).filter((one) => one !== peer);
      const tell = (to: Peer, news: unknown): void => this.#send(peer, to, news);
      return {
        others,
        tell,
        cast: (news) => {
          for (const other of others()) tell(other, news);
        },
        onMembers: (listener) => {
          member.listeners.add(listener);
          return () => member.listeners.delete(listener);
        },
      };
    };
  }

  /** It is alive no more, and the others know it. */
  leave(node: string): void {
    this.#members.delete(node);
    this.changed();
  }

  /** The others hear of who has come or gone. */
  changed(): void {
    for (const { listeners } of [...this.#members.values()]) for (const listener of listeners) listener();
  }

  #send(from: Peer, to: Peer, news: unknown): void {
    this.sent.push({ from: from.node, to: to.node, news });
    queueMicrotask(() => {
      const member = this.#members.get(to.node);
      if (member?.peer.boot === to.boot && !this.deaf.has(to.node)) member.take(from, structuredClone(news));
    });
  }
}
