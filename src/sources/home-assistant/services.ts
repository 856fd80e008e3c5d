/**
 * What services a house says it has. Asked for when somebody wants to see them; kept for calls, which only need to know
 * whether a service must be asked for its response.
 */
import type { StopSignal } from "../../stop.ts";
import { type Fields, isFields } from "./arguments.ts";
import type { HomeLine } from "./line.ts";

/** By domain, by name: as the house describes them. */
export type ServiceTable = Readonly<Record<string, Fields>>;

export class Services {
  readonly #line: HomeLine;
  #known: ServiceTable | undefined;

  constructor(line: HomeLine) {
    this.#line = line;
  }

  async ask(signal: StopSignal): Promise<ServiceTable> {
    const answer = await this.#line.command({ type: "get_services" }, signal);
    const domains = Object.entries(isFields(answer) ? answer : {}).filter(([, services]) => isFields(services));
    this.#known = Object.fromEntries(domains) as ServiceTable;
    return this.#known;
  }

  /**
   * Whether a service does nothing but respond: without being asked for its response it refuses. What cannot be found out is
   * left to the house to say.
   */
  async onlyResponds(domain: string, service: string, signal: StopSignal): Promise<boolean> {
    const known =
      this.#find(domain, service) ?? (await this.ask(signal).then(() => this.#find(domain, service), nothing));
    const response = known?.["response"];
    return isFields(response) && response["optional"] === false;
  }

  #find(domain: string, service: string): Fields | undefined {
    const known = this.#known;
    const services = known && Object.hasOwn(known, domain) ? known[domain] : undefined;
    const found = services && Object.hasOwn(services, service) ? services[service] : undefined;
    return isFields(found) ? found : undefined;
  }
}

function nothing(): undefined {
  return undefined;
}
