/**
 * A server as it would be if it were registered: reached the same way under the same rules, by a connection that ends with
 * the answer. Nothing of it is kept.
 */
import type { NewServer } from "../contract/server.ts";
import type { Principal } from "../core/call.ts";
import { isAddressRefusal, ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { serverConfigOf } from "./connection.ts";
import { type Discovered, type DiscoveryPorts, discover } from "./discovery.ts";
import { notDiscovered, reasonOf } from "./failures.ts";
import type { RegistryRules } from "./ports.ts";
import { checkServer } from "./rights.ts";

interface PreviewPorts extends DiscoveryPorts {
  rules(): RegistryRules;
  isTaken(name: string): Promise<boolean>;
}

export interface Previewed extends Discovered {
  /** It could not be registered under this name. */
  readonly nameTaken: boolean;
}

/** Each may hold a process or a few sockets for as long as a discovery lasts. */
const MOST_AT_ONCE = 16;

export class Previews {
  readonly #ports: PreviewPorts;
  #running = 0;

  constructor(ports: PreviewPorts) {
    this.#ports = ports;
  }

  /** Rejects what may not be registered. That it could not be reached is told in `error`. Ends when the caller leaves. */
  async preview(input: NewServer, principal: Principal, left: CancelSignal): Promise<Previewed> {
    const rules = this.#ports.rules();
    const allowPrivate = checkServer(input, principal, rules);
    if (this.#running >= MOST_AT_ONCE) throw tooMany(input.name);
    this.#running++;
    try {
      const server = serverConfigOf({ ...input, allowPrivate }, input);
      // Somebody waits for it, and can try again when they like.
      const told = await discover(this.#ports, input.name, server, rules.discoveryMs, { left, attempts: 1 });
      const nameTaken = await this.#ports.isTaken(input.name);
      return { ...told, nameTaken, error: told.error && tellable(told.error, input, told) };
    } finally {
      this.#running--;
    }
  }
}

/** What nobody expected, and who has left, is told as everywhere. */
function tellable(error: ZaguanError, input: NewServer, told: Discovered): ZaguanError {
  if (error.code === "INTERNAL" || error.code === "CANCELLED") throw error;
  return isAddressRefusal(error) ? error : notDiscovered(input, reasonOf(error), told);
}

function tooMany(source: string): ZaguanError {
  const params = { source, waiting: MOST_AT_ONCE, seconds: 1 };
  return new ZaguanError("NO_CAPACITY", { params, retryAfterMs: 1_000 });
}
