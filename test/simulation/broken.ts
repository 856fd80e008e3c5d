/** Machines with one rule left out each, which the simulator must find. */
import type { Parts } from "../../src/cluster/cluster-node.ts";
import { ForwardOwner, type OwnerEffect, type OwnerPorts } from "../../src/cluster/forward-owner.ts";
import { Leases } from "../../src/cluster/leases.ts";
import type { Peer } from "../../src/cluster/peer.ts";

export interface Variant {
  readonly parts: Partial<Parts>;
  readonly hasUndertaker: boolean;
}

/** Takes a call whatever epoch it was offered for. */
class WithoutEpochCheck extends ForwardOwner {
  constructor(ports: OwnerPorts, emit: (effect: OwnerEffect) => void) {
    super({ ...ports, isLive: () => true }, emit);
  }
}

interface Ready {
  readonly to: Peer;
  readonly call: string;
  readonly attempt: number;
  readonly token: number;
}

/** Begins to work when its turn comes, without waiting for `go`. */
class TwoMessages extends ForwardOwner {
  readonly #ready: Ready[];

  constructor(ports: OwnerPorts, emit: (effect: OwnerEffect) => void) {
    const ready: Ready[] = [];
    super(ports, (effect) => {
      emit(effect);
      if (effect.do === "send" && effect.message.kind === "ready") ready.push({ to: effect.to, ...effect.message });
    });
    this.#ready = ready;
  }

  override turn(ref: number, now: number): void {
    super.turn(ref, now);
    for (const { to, call, attempt, token } of this.#ready.splice(0))
      this.received(to, { kind: "go", call, attempt, token, leftMs: 10_000 }, now);
  }
}

/** Counts a lease from when the answer came. */
class FromAnswer extends Leases {
  protected override countsFrom(_sentAt: number, answeredAt: number): number {
    return answeredAt;
  }
}

export const SOUND: Variant = { parts: {}, hasUndertaker: true };

export const BROKEN: Readonly<Record<string, Variant>> = {
  "no-epoch-check": { parts: { ForwardOwner: WithoutEpochCheck }, hasUndertaker: true },
  "two-message": { parts: { ForwardOwner: TwoMessages }, hasUndertaker: true },
  "no-undertaker": { parts: {}, hasUndertaker: false },
  "lease-from-answer": { parts: { Leases: FromAnswer }, hasUndertaker: true },
};
