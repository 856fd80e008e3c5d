/** The targets of one door: the whole catalogue, and every server by its name. */
import type { NotificationSink } from "../../core/call.ts";
import type { Servers } from "../../core/gateway.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { CatalogueTarget, type CatalogueTargetOptions } from "./catalogue-target.ts";
import { noSuchServer, ServerTarget } from "./server-target.ts";
import type { McpTarget } from "./target.ts";

interface TargetsOptions extends CatalogueTargetOptions {
  readonly servers: Servers;
}

export class Targets {
  readonly #options: TargetsOptions;
  readonly #whole: CatalogueTarget;
  readonly #byName = new Map<string, ServerTarget>();
  readonly #watchers = new Map<string, Set<NotificationSink>>();
  #stopWatching: (() => void) | undefined;

  constructor(options: TargetsOptions) {
    this.#options = options;
    this.#whole = new CatalogueTarget(options);
  }

  /** Throws NOT_FOUND if there is no server of this name. */
  of(server: string | undefined): McpTarget {
    if (server === undefined) return this.#whole;
    const { servers, door } = this.#options;
    if (!servers.has(server)) {
      this.#byName.delete(server);
      throw noSuchServer(server);
    }
    let target = this.#byName.get(server);
    if (!target) {
      target = new ServerTarget(server, { servers, door, watch: (...given) => this.#watch(...given) });
      this.#byName.set(server, target);
    }
    return target;
  }

  /** The hub has one listener for all clients of all servers, and none while there is no client. */
  #watch(source: string, listener: NotificationSink): () => void {
    const watchers = this.#watchers.get(source) ?? new Set();
    this.#watchers.set(source, watchers.add(listener));
    this.#stopWatching ??= this.#options.servers.onNotification((...said) => this.#tell(...said));
    return () => {
      watchers.delete(listener);
      if (watchers.size === 0 && this.#watchers.get(source) === watchers) this.#watchers.delete(source);
      if (this.#watchers.size > 0) return;
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    };
  }

  #tell(source: string, method: string, params: Payload): void {
    for (const listener of this.#watchers.get(source) ?? []) listener(method, params);
  }
}
