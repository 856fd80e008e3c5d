/**
 * An endpoint that we keep dialled: connect, be called, and when it ends, wait and connect again. A failure, whatever it is,
 * ends one attempt and never the endpoint.
 */

import type { XiaozhiEndpointConfig } from "../../config/types.ts";
import type { Principal } from "../../core/call.ts";
import type { Gateway } from "../../core/gateway.ts";
import { ZaguanError } from "../../errors.ts";
import { LightAbort } from "../../light-abort.ts";
import { sayError } from "../../messages/catalogue.ts";
import type { EndpointStatus } from "../door.ts";
import { CatalogueTarget } from "../mcp/catalogue-target.ts";
import { StatelessCodec } from "../mcp/stateless/codec.ts";
import { EndpointConnection } from "./connection.ts";
import { headersOf } from "./greeting.ts";
import type { XiaozhiPorts } from "./ports.ts";
import { type Outcome, Redial } from "./redial.ts";
import { pause } from "./time-limit.ts";

/** The same reason is logged once in this time: some clouds hang up every few minutes for lack of speech. */
const NO_NEWS_MS = 3_600_000;

export class Endpoint {
  readonly #settings: XiaozhiEndpointConfig;
  readonly #ports: XiaozhiPorts;
  readonly #target: CatalogueTarget;
  readonly #stateless: StatelessCodec;
  readonly #redial: Redial;
  readonly #stop = new LightAbort();
  readonly #url: string;
  readonly #living: Promise<void>;
  #name: string;
  #state: EndpointStatus["state"] = "connecting";
  #since = new Date();
  #attempts = 0;
  #lastError: string | null = null;
  #tools: number | null = null;
  #told: { readonly reason: string; readonly at: number } | undefined;
  #isNews = true;

  /** @param vacant resolves when whoever had its place is gone */
  constructor(settings: XiaozhiEndpointConfig, ports: XiaozhiPorts, vacant: Promise<void>) {
    this.#settings = settings;
    this.#name = settings.name;
    this.#url = shownUrl(settings.url);
    this.#ports = ports;
    this.#redial = new Redial(ports.random);
    const { offers, report } = ports;
    const gateway = counting(ports.gateway, (tools) => {
      this.#tools = tools;
    });
    this.#target = new CatalogueTarget({ gateway, offers, door: "xiaozhi" });
    this.#stateless = new StatelessCodec({
      report,
      limit: () => ports.limits().sessions,
      suspended: ports.shared.openSuspended("xiaozhi"),
    });
    this.#living = vacant.then(() => this.#live());
  }

  get settings(): XiaozhiEndpointConfig {
    return { ...this.#settings, name: this.#name };
  }

  /** For people; the far end notices nothing. */
  rename(name: string): void {
    this.#name = name;
  }

  status(): EndpointStatus {
    const { as, agent } = this.#settings;
    return {
      name: this.#name,
      url: this.#url,
      as,
      agent,
      state: this.#state,
      sinceUtc: this.#since.toISOString(),
      attempts: this.#attempts,
      lastError: this.#lastError,
      tools: this.#tools,
    };
  }

  /** Resolves when nothing of it is left. */
  close(): Promise<void> {
    this.#stop.abort(new ZaguanError("CANCELLED"));
    return this.#living;
  }

  async #live(): Promise<void> {
    while (!this.#stop.aborted) {
      const outcome = await this.#attempt();
      if (!this.#stop.aborted) await this.#wait(outcome);
    }
    this.#stateless.close();
  }

  async #attempt(): Promise<Outcome> {
    this.#enter("connecting");
    this.#attempts++;
    try {
      return await this.#serve(await this.#connect());
    } catch (cause) {
      const retryAfterMs = cause instanceof ZaguanError ? cause.details.retryAfterMs : undefined;
      return { reason: this.#reasonOf(cause), kind: "unreached", openMs: 0, isGreeted: false, retryAfterMs };
    }
  }

  async #connect(): Promise<EndpointConnection> {
    const { documents } = this.#ports;
    const principal = await this.#principal();
    const headers = await headersOf(this.#settings, documents);
    const endpoint = this.settings;
    return EndpointConnection.open(
      { endpoint, headers, principal, target: this.#target, stateless: this.#stateless, ports: this.#ports },
      this.#stop,
    );
  }

  async #serve(connection: EndpointConnection): Promise<Outcome> {
    const { clock } = this.#ports;
    const openedAt = clock.now();
    const finish = (): void => void connection.finish();
    this.#connected();
    this.#stop.addEventListener("abort", finish);
    if (this.#stop.aborted) finish();
    const closed = await connection.gone;
    this.#stop.removeEventListener("abort", finish);
    return { ...closed, openMs: clock.now() - openedAt, isGreeted: connection.isGreeted };
  }

  #connected(): void {
    this.#attempts = 0;
    this.#enter("connected");
    this.#ports.log[this.#isNews ? "info" : "debug"]("voice endpoint connected", this.#fields());
  }

  async #wait(outcome: Outcome): Promise<void> {
    const { reason } = outcome;
    const ms = this.#redial.next(outcome);
    this.#lastError = reason;
    this.#enter("waiting");
    this.#isNews = this.#tellsNews(reason);
    const words = "voice endpoint is not connected; it will be dialled again";
    this.#ports.log[this.#isNews ? "warn" : "debug"](words, { ...this.#fields(), reason, nextTryMs: ms });
    await pause(ms, this.#ports.clock, this.#stop);
  }

  #tellsNews(reason: string): boolean {
    const at = this.#ports.clock.now();
    if (this.#told?.reason === reason && at - this.#told.at < NO_NEWS_MS) return false;
    this.#told = { reason, at };
    return true;
  }

  /** A caller who may use every tool, or the agent in whose place the endpoint calls. */
  async #principal(): Promise<Principal> {
    const anybody: Principal = { id: `xiaozhi:${this.#name}`, kind: "key", name: this.#name };
    const { agent } = this.#settings;
    return agent === undefined ? anybody : this.#ports.actingAs(agent, anybody);
  }

  #enter(state: EndpointStatus["state"]): void {
    this.#state = state;
    this.#since = new Date();
  }

  #fields(): object {
    return { endpoint: this.#name, url: this.#url, as: this.#settings.as };
  }

  #reasonOf(cause: unknown): string {
    if (!(cause instanceof ZaguanError)) {
      this.#ports.report(cause);
      return "it failed in an unexpected way";
    }
    const { params } = cause.details;
    return typeof params?.["reason"] === "string" ? params["reason"] : sayError("en", cause);
  }
}

/** The query holds a token. */
function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** The same gateway, that tells how many tools were listed. */
function counting(gateway: Gateway, onListed: (count: number) => void): Gateway {
  return {
    listTools: async (principal, language) => {
      const tools = await gateway.listTools(principal, language);
      onListed(tools.length);
      return tools;
    },
    findTool: (principal, name) => gateway.findTool(principal, name),
    call: (request) => gateway.call(request),
    onToolsChanged: (listener) => gateway.onToolsChanged(listener),
  };
}
