/**
 * Carries the stateless revisions where all messages share one way there and back: a request is cancelled by a
 * notification, after which nothing more is said of it, or by the end of the connection.
 */
import type { Principal } from "../../../core/call.ts";
import { ZaguanError } from "../../../errors.ts";
import type { Language } from "../../../messages/catalogue.ts";
import type { RpcCall } from "../../../protocol/json-rpc/message.ts";
import type { StopSignal } from "../../../stop.ts";
import { type RunningRequest, RunningRequests } from "../running-requests.ts";
import type { StatelessFace, StatelessRequest } from "./face.ts";
import { failed, outcomeOf } from "./outcome.ts";

export interface StatelessRequestsOptions {
  readonly face: StatelessFace;
  readonly principal: Principal;
  readonly language: Language;
  /** Takes what belongs to a request, before its answer. */
  write(message: string): void;
  report(cause: unknown): string;
}

export class StatelessRequests {
  readonly #options: StatelessRequestsOptions;
  readonly #running = new RunningRequests();
  /** They would stay for ever. */
  readonly #listening = new Set<RunningRequest>();

  constructor(options: StatelessRequestsOptions) {
    this.#options = options;
  }

  /** Resolves with the message to send, or with nothing if the client has cancelled. */
  async answer(call: StatelessRequest): Promise<string | undefined> {
    const { face, principal, language, write, report } = this.#options;
    const signal = this.#running.begin(call.id, undefined);
    const notify = (message: string): void => {
      if (!isCancelled(signal)) write(message);
    };
    if (call.method === "subscriptions/listen") this.#listening.add(signal);
    const { text } = await outcomeOf(() => face, call, { principal, language, signal, notify }, report);
    this.#listening.delete(signal);
    this.#running.end(signal);
    return isCancelled(signal) ? undefined : text;
  }

  /** The message that refuses a request. */
  refusal(id: string, error: ZaguanError): string {
    return failed(id, error, this.#options).text;
  }

  cancel(notification: RpcCall): void {
    this.#running.cancel(notification);
  }

  /** We end it, for this reason: those who listen are answered that nothing more will come. */
  finish(reason: ZaguanError): void {
    for (const request of this.#listening) request.abort(reason);
  }

  /** The client is gone. */
  end(): void {
    this.#running.cancelAll();
  }
}

/** The client's own cancellation has no reason of ours. */
function isCancelled({ aborted, reason }: StopSignal): boolean {
  return aborted && !(reason instanceof ZaguanError);
}
