/** A real house with our whole hub in front of it as a process of its own, and a session of the bridge. */
import type { Message } from "../../support/line-rpc.ts";
import { type RealHome, startRealHome } from "../../support/real-home.ts";
import { type Answered, RegistryClient } from "../../support/registry-client.ts";
import { assertBridged, BridgeClient, statusOf, toolCall } from "../../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../../support/spawn-zaguan.ts";
import { Ledger } from "./ledger.ts";
import { Rest, type State } from "./rest.ts";

export class BridgedHouse {
  readonly ledger = new Ledger();
  #home: RealHome | undefined;
  #hub: SpawnedZaguan | undefined;
  #client: BridgeClient | undefined;

  /** The bridge is asked as soon as it says where it is: that the house is connected first is its own business. */
  async open(): Promise<void> {
    this.#home = await startRealHome({ moreYaml: this.ledger.yaml });
    const { url, token } = this.#home;
    this.#hub = await spawnZaguan({ config: { homeAssistant: { url, token } } });
    this.#client = await BridgeClient.open(new RegistryClient(this.#hub.url));
  }

  async close(): Promise<void> {
    try {
      await this.#hub?.stop();
    } finally {
      await this.#home?.stop();
      this.ledger.remove();
    }
  }

  get home(): RealHome {
    return opened(this.#home);
  }

  get hub(): SpawnedZaguan {
    return opened(this.#hub);
  }

  get client(): BridgeClient {
    return opened(this.#client);
  }

  /** Home Assistant's own interface, without us. */
  get rest(): Rest {
    return new Rest(this.home);
  }

  /** All entities, by Home Assistant itself. */
  async states(): Promise<State[]> {
    return (await this.rest.get("/api/states")).body as State[];
  }

  health(): Promise<Answered> {
    return this.client.http.get("/health");
  }

  /** What our status tells of the house. */
  async told(): Promise<Message> {
    return (await statusOf(this.client.http)).home_assistant;
  }

  /** The result of a tool that was called through the bridge, which must have been answered. */
  async result(name: string, args: object = {}): Promise<Message> {
    return assertBridged(await this.client.call(toolCall(name, name, args)), name).result;
  }

  /** What a tool says for programs; it must have gone well. */
  async data(name: string, args: object = {}): Promise<Message> {
    const result = await this.result(name, args);
    if (result.isError !== false) throw new Error(JSON.stringify(result));
    return result.structuredContent;
  }
}

function opened<T>(value: T | undefined): T {
  if (!value) throw new Error("the house is not open");
  return value;
}
