/**
 * When the list of tools changed last. The hub tells of a change a moment later, and of a burst once; who asks in between
 * is told by what the list holds.
 */
import type { Gateway, ListedTool } from "../../core/gateway.ts";
import { ALL } from "./tool-types.ts";

export class LastChange {
  readonly #gateway: Gateway;
  readonly #stopHearing: () => void;
  readonly #startedAt: () => number;
  #seen: readonly ListedTool[] | undefined;
  #changedAt: number | undefined;

  /** @param startedAt when the hub was started, for a list that has not changed since */
  constructor(gateway: Gateway, startedAt: () => number) {
    this.#gateway = gateway;
    this.#startedAt = startedAt;
    this.#stopHearing = gateway.onToolsChanged(() => {
      this.#changedAt = Date.now();
    });
  }

  /** In milliseconds of the time of day. */
  async time(): Promise<number> {
    const tools = await this.#gateway.listTools(ALL, "en");
    if (this.#seen && !isSame(this.#seen, tools)) this.#changedAt = Date.now();
    this.#seen = tools;
    this.#changedAt ??= this.#startedAt();
    return this.#changedAt;
  }

  close(): void {
    this.#stopHearing();
  }
}

/** Definitions are never changed, only replaced. */
function isSame(before: readonly ListedTool[], after: readonly ListedTool[]): boolean {
  if (before === after) return true;
  return before.length === after.length && before.every((tool, index) => tool.definition === after[index]?.definition);
}
