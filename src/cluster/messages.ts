/**
 * The messages about one forwarded call. The "entry" is the node that the client has called, the "owner" the node that holds the
 * source. The entry offers the call, the owner sends `ready` when the queue has reached it, and only the entry's `go` makes it run:
 * from then on the entry knows that the call may have run, and it never sends `go` twice. `token` identifies one reservation of
 * one boot of the owner, so that a late `go` cannot start another. Deadlines are sent as milliseconds left, since clocks differ.
 */
import type { Delivery, ErrorCode } from "../errors.ts";
import type { Owner } from "./peer.ts";

/** How a call ended. */
export type Outcome =
  | { readonly kind: "result"; readonly text: string }
  /** `text` has the details from which the entry rebuilds the error. */
  | { readonly kind: "error"; readonly code: ErrorCode; readonly delivery: Delivery; readonly text?: string };

/** "in-parts": the result was too large for one message, and was sent in `of` parts. */
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
      /** The encoded request (`nodes/wire.ts`), which the state machines do not read. */
      readonly body: string;
    })
  | (OfToken & { readonly kind: "go"; readonly attempt: number; readonly leftMs: number })
  | (OfAttempt & { readonly kind: "cancel"; readonly token?: number | undefined })
  | (OfToken & { readonly kind: "answer"; readonly question: number; readonly text: string })
  /** Asks what became of the call. `token`: only after `go`. `have`: how many parts of the answer have arrived without a gap. */
  | (OfAttempt & {
      readonly kind: "poll";
      readonly token?: number | undefined;
      readonly have: number;
      readonly leftMs: number;
    })
  /** Confirms so many parts of the answer, or all: then the owner may forget the call. */
  | (OfToken & { readonly kind: "taken"; readonly parts: number | "all" });

export type ToEntry =
  | (OfToken & { readonly kind: "ready"; readonly attempt: number })
  /** The call did not run and will not run here. With `error` it has failed; otherwise it may be offered to another owner. */
  | (OfAttempt & {
      readonly kind: "no";
      readonly token?: number | undefined;
      readonly owner?: Owner | undefined;
      readonly error?: Outcome | undefined;
    })
  /**
   * The reservation is void: the offer or the `go` did not arrive in time, so that the call did not run and will not run under it.
   */
  | (OfAttempt & { readonly kind: "void"; readonly token?: number | undefined })
  | (OfToken & { readonly kind: "progress" | "log"; readonly count: number; readonly text: string })
  | (OfToken & { readonly kind: "ask"; readonly question: number; readonly text: string })
  /** Nobody wants to know any more. Whatever the entry answers says that it has heard of it. */
  | (OfToken & { readonly kind: "withdraw"; readonly question: number })
  | (OfToken & { readonly kind: "part"; readonly index: number; readonly of: number; readonly text: string })
  | (OfToken & { readonly kind: "end"; readonly outcome: SentOutcome });
