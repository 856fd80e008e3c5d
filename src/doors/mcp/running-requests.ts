/** The requests of one conversation that have no answer yet, so that they can be cancelled by id or all at once. */
import { memberText, type RpcCall } from "../../protocol/json-rpc/message.ts";

export class RunningRequests {
  /** By the id's text; the newest if a client repeats an id. */
  readonly #byId = new Map<string, AbortController>();
  readonly #all = new Set<AbortController>();

  get size(): number {
    return this.#all.size;
  }

  /** `left` is aborted when the caller is gone for good. */
  begin(id: string, left: AbortSignal | undefined): AbortController {
    const controller = new AbortController();
    this.#byId.set(id, controller);
    this.#all.add(controller);
    if (left?.aborted) controller.abort();
    left?.addEventListener("abort", () => controller.abort(), { once: true });
    return controller;
  }

  end(id: string, controller: AbortController): void {
    this.#all.delete(controller);
    if (this.#byId.get(id) === controller) this.#byId.delete(id);
  }

  /** By a `notifications/cancelled`. */
  cancel(notification: RpcCall): void {
    const id = memberText(notification.text, notification.members, "requestId");
    if (id !== undefined) this.#byId.get(id)?.abort();
  }

  cancelAll(): void {
    for (const controller of this.#all) controller.abort();
  }
}
