/** The requests of one conversation that have no answer yet, so that they can be cancelled by id or all at once. */
import { memberText, type RpcCall } from "../../protocol/json-rpc/message.ts";
import { Stop, type StopSignal } from "../../stop.ts";

/** One request that runs: its own stop. */
export class RunningRequest extends Stop {
  /** The id's text. */
  readonly id: string;
  readonly #left: StopSignal | undefined;
  readonly #leave = (): void => this.abort();

  constructor(id: string, left: StopSignal | undefined) {
    super();
    this.id = id;
    this.#left = left;
    if (left?.aborted) this.abort();
    else left?.addEventListener("abort", this.#leave);
  }

  release(): void {
    this.#left?.removeEventListener("abort", this.#leave);
  }
}

export class RunningRequests {
  /** By the id's text; the newest if a client repeats an id. */
  readonly #byId = new Map<string, RunningRequest>();
  readonly #all = new Set<RunningRequest>();

  get size(): number {
    return this.#all.size;
  }

  /** `left` is aborted when the caller is gone for good. */
  begin(id: string, left: StopSignal | undefined): RunningRequest {
    const request = new RunningRequest(id, left);
    this.#byId.set(id, request);
    this.#all.add(request);
    return request;
  }

  end(request: RunningRequest): void {
    request.release();
    this.#all.delete(request);
    if (this.#byId.get(request.id) === request) this.#byId.delete(request.id);
  }

  /** By a `notifications/cancelled`. */
  cancel(notification: RpcCall): void {
    const id = memberText(notification.text, notification.members, "requestId");
    if (id !== undefined) this.#byId.get(id)?.abort();
  }

  cancelAll(): void {
    for (const request of this.#all) request.abort();
  }
}
