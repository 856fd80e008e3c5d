/**
 * What nodes say to each other about one call. "Entry" is the node that a client has called, "owner" the one that holds the
 * source. A call is offered, the owner says `ready` when its turn has come, and only `go` makes it run: whoever says `go` knows
 * from then on that it may have run, and nobody says it twice. `token` stands for one reservation of one boot of the owner, so
 * that a `go` that comes late cannot start another. Instants are told as milliseconds that are left, since clocks differ.
 */
import type { Delivery, ErrorCode } from "../errors.ts";
import type { Owner } from "./peer.ts";

/** How a call ended. */
export type Outcome =
  | { readonly kind: "result"; readonly text: string }
  /** `text` has what the hub needs to make the error again. */
  | { readonly kind: "error"; readonly code: ErrorCode; readonly delivery: Delivery; readonly text?: string };

/** A result too large for one message was sent in so many parts. */
type SentOutcome = Outcome | { readonly kind: "in-parts"; readonly of: number };

interface OfAttempt {
  readonly call: string;
  readonly attempt: number;
}

interface OfToken {
  readonly call: string;
  readonly token: number;
}

export type ToOwner =
  | (OfAttempt & {
      readonly kind: "offer";
      readonly key: string;
      readonly epoch: number;
      readonly leftMs: number;
      /** Who calls, with which priority, and what: the hub's own affair. */
      readonly body: string;
    })
  | (OfToken & { readonly kind: "go"; readonly attempt: number; readonly leftMs: number })
  | (OfAttempt & { readonly kind: "cancel"; readonly token?: number | undefined })
  | (OfToken & { readonly kind: "answer"; readonly question: number; readonly text: string })
  /** `token`: only where `go` was said. `have`: parts of the answer that came without a gap. */
  | (OfAttempt & {
      readonly kind: "poll";
      readonly token?: number | undefined;
      readonly have: number;
      readonly leftMs: number;
    })
  /** So many parts, or everything: the owner may forget it. */
  | (OfToken & { readonly kind: "taken"; readonly parts: number | "all" });

export type ToEntry =
  | (OfToken & { readonly kind: "ready"; readonly attempt: number })
  /** It did not run, and will not. With `error` the call is refused for good, else it may be offered elsewhere. */
  | (OfAttempt & {
      readonly kind: "no";
      readonly token?: number | undefined;
      readonly owner?: Owner | undefined;
      readonly error?: Outcome | undefined;
    })
  /** Neither did it run, nor will it: the offer or the `go` never came, or came too late. */
  | (OfAttempt & { readonly kind: "void"; readonly token?: number | undefined })
  | (OfToken & { readonly kind: "progress" | "log"; readonly count: number; readonly text: string })
  | (OfToken & { readonly kind: "ask"; readonly question: number; readonly text: string })
  /** Nobody wants to know any more. Whatever the entry answers says that it has heard of it. */
  | (OfToken & { readonly kind: "withdraw"; readonly question: number })
  | (OfToken & { readonly kind: "part"; readonly index: number; readonly of: number; readonly text: string })
  | (OfToken & { readonly kind: "end"; readonly outcome: SentOutcome });
