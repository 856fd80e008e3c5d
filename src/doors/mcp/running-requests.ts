/** The requests of one conversation that have no answer yet, so that they can be cancelled by id or all at once. */
import { IndexedSet } from "../../indexed-set.ts";
import { type CancelSignal, LightAbort } from "../../light-abort.ts";
import { memberText, type RpcCall } from "../../protocol/json-rpc/message.ts";

/** One request that runs: its own stop. */
export class RunningRequest extends LightAbort {
  place = -1;
  /** The id's text. */
  readonly id: string;
  /** Grows from one to the next. */
  readonly number: number;
  readonly #left: CancelSignal | undefined;
  readonly #leave = (): void => this.abort();

  constructor(id: string, number: number, left: CancelSignal | undefined) {
    super();
    this.id = id;
    this.number = number;
    this.#left = left;
    if (left?.aborted) this.abort();
    else left?.addEventListener("abort", this.#leave);
  }

  release(): void {
    this.#left?.removeEventListener("abort", this.#leave);
  }
}

export class RunningRequests {
  readonly #all = new IndexedSet<RunningRequest>();
  #begun = 0;

  get size(): number {
    return this.#all.size;
  }

  /** `left` is aborted when the caller is gone for good. */
  begin(id: string, left: CancelSignal | undefined): RunningRequest {
    const request = new RunningRequest(id, ++this.#begun, left);
    this.#all.add(request);
    return request;
  }

  end(request: RunningRequest): void {
    request.release();
    this.#all.delete(request);
  }

  /** By a `notifications/cancelled`; the newest if a client repeats an id. */
  cancel(notification: RpcCall): void {
    const id = memberText(notification.text, notification.members, "requestId");
    let newest: RunningRequest | undefined;
    for (const request of this.#all.all()) {
      if (request.id === id && request.number > (newest?.number ?? 0)) newest = request;
    }
    newest?.abort();
  }

  cancelAll(): void {
    for (const request of this.#all.all()) request.abort();
  }
}
