/**
 * A door that dials: voice clouds and servers of the xiaozhi family (seed 002), to which we open WebSockets and which then
 * call us there, each for itself. A change of the configuration touches those that it changes and no other.
 */
import { isDeepStrictEqual } from "node:util";
import type { XiaozhiEndpointConfig } from "../../config/types.ts";
import type { EndpointStatus } from "../door.ts";
import { Endpoint } from "./endpoint.ts";
import type { XiaozhiPorts } from "./ports.ts";

export class XiaozhiEndpoints {
  readonly #ports: XiaozhiPorts;
  #endpoints: readonly Endpoint[] = [];
  /** Those that are being closed. */
  readonly #leaving = new Set<Promise<void>>();
  #isClosed = false;

  constructor(ports: XiaozhiPorts) {
    this.#ports = ports;
  }

  /** Starts, stops and changes what differs; waits for nothing. */
  apply(configured: readonly XiaozhiEndpointConfig[]): void {
    if (this.#isClosed) return;
    const wanted = configured.filter(({ disabled }) => !disabled);
    const kept = new Map(
      wanted.map((settings) => [settings, this.#endpoints.find((known) => isSame(known, settings))]),
    );
    const left = this.#leave(new Set(kept.values()));
    this.#endpoints = wanted.map((settings) => {
      const endpoint = kept.get(settings) ?? new Endpoint(settings, this.#ports, left.get(settings.name) ?? VACANT);
      endpoint.rename(settings.name);
      return endpoint;
    });
  }

  /** Resolves when nothing is left of those that are being closed. */
  async left(): Promise<void> {
    await Promise.all(this.#leaving);
  }

  status(): readonly EndpointStatus[] {
    return this.#endpoints.map((endpoint) => endpoint.status());
  }

  /** Calls that run get their answers, if they come in time. Resolves when nothing is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#leave(new Set());
    this.#endpoints = [];
    await this.left();
  }

  /** Closes all but these. By name, when each is gone: a far end may accept only one connection of ours. */
  #leave(kept: ReadonlySet<Endpoint | undefined>): ReadonlyMap<string, Promise<void>> {
    const leaving = this.#endpoints.filter((endpoint) => !kept.has(endpoint));
    return new Map(leaving.map((endpoint) => [endpoint.settings.name, this.#close(endpoint)]));
  }

  #close(endpoint: Endpoint): Promise<void> {
    const closing = endpoint.close();
    this.#leaving.add(closing);
    return closing.finally(() => this.#leaving.delete(closing));
  }
}

const VACANT: Promise<void> = Promise.resolve();

/** The name is for people alone: an entry without one may be given another when the others change. */
function isSame({ settings }: Endpoint, wanted: XiaozhiEndpointConfig): boolean {
  return isDeepStrictEqual({ ...settings, name: "" }, { ...wanted, name: "" });
}
