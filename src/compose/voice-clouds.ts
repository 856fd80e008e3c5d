/**
 * The voice clouds that this process dials: all that are configured or, in a cluster, those whose lease this node holds, since a
 * cloud may accept only one connection.
 */
import type { XiaozhiEndpointConfig, ZaguanConfig } from "../config/types.ts";
import type { Owners } from "../core/shared/owners.ts";
import type { EndpointStatus } from "../doors/door.ts";
import type { XiaozhiEndpoints } from "../doors/xiaozhi/endpoints.ts";
import type { XiaozhiPorts } from "../doors/xiaozhi/ports.ts";
import type { HeldSources } from "../nodes/held-sources.ts";

interface VoiceCloudsSetup {
  readonly owners: Owners;
  /** The leases of this node; undefined for a hub that runs alone. */
  readonly held: HeldSources | undefined;
  readonly ports: XiaozhiPorts;
}

export class VoiceClouds {
  readonly #setup: VoiceCloudsSetup;
  #endpoints: XiaozhiEndpoints | undefined;

  constructor(setup: VoiceCloudsSetup) {
    this.#setup = setup;
  }

  /** Dials and hangs up according to configuration and leases. The code is loaded with the first endpoint: most hubs have none. */
  async apply({ xiaozhi }: ZaguanConfig): Promise<void> {
    if (!this.#endpoints && xiaozhi.endpoints.length === 0) return;
    const { owners, held, ports } = this.#setup;
    const keys = xiaozhi.endpoints.filter(({ disabled }) => !disabled).map(leaseKey);
    held?.replace("endpoints", new Map(keys.map((key) => [key, undefined])));
    this.#endpoints ??= new (await import("../doors/xiaozhi/endpoints.ts")).XiaozhiEndpoints(ports);
    this.#endpoints.apply(xiaozhi.endpoints.filter((endpoint) => owners.isOurs(leaseKey(endpoint))));
  }

  /** Resolves when the connections that were hung up are closed. */
  async closed(): Promise<void> {
    await this.#endpoints?.left();
  }

  status(): readonly EndpointStatus[] {
    return this.#endpoints?.status() ?? [];
  }

  async close(): Promise<void> {
    await this.#endpoints?.close();
  }
}

/** The key of a voice cloud's lease; no source can have such a name. */
function leaseKey({ name }: XiaozhiEndpointConfig): string {
  return `voice:${name}`;
}

export function isVoiceCloud(leaseKey: string): boolean {
  return leaseKey.startsWith("voice:");
}
