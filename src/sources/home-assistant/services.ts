/**
 * What services a house says it has. Asked for when somebody wants to see them; kept for calls, which only need to know
 * whether a service must be asked for its response.
 */
import { isObject } from "../../contract/rules.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Fields } from "../shared/tool-call.ts";
import type { HomeLine } from "./line.ts";

/** By domain, by name: as the house describes them. */
export type ServiceTable = Readonly<Record<string, Fields>>;

export class Services {
  readonly #line: HomeLine;
  #known: ServiceTable | undefined;

  constructor(line: HomeLine) {
    this.#line = line;
  }

  async ask(signal: CancelSignal): Promise<ServiceTable> {
    const answer = await this.#line.command({ type: "get_services" }, signal);
    const domains = Object.entries(isObject(answer) ? answer : {}).filter(([, services]) => isObject(services));
    this.#known = Object.fromEntries(domains) as ServiceTable;
    return this.#known;
  }

  /** How the house describes a service; undefined where that cannot be found out: then the house has its say. */
  async find(domain: string, service: string, signal: CancelSignal): Promise<Fields | undefined> {
    return this.#find(domain, service) ?? (await this.ask(signal).then(() => this.#find(domain, service), nothing));
  }

  /** The names of a domain's services, as far as they are known. */
  namesOf(domain: string): readonly string[] {
    return Object.keys(this.#of(domain) ?? {});
  }

  /** The domains that have services, as far as they are known. */
  domains(): readonly string[] {
    return Object.keys(this.#known ?? {});
  }

  #find(domain: string, service: string): Fields | undefined {
    const services = this.#of(domain);
    const found = services && Object.hasOwn(services, service) ? services[service] : undefined;
    return isObject(found) ? found : undefined;
  }

  #of(domain: string): Fields | undefined {
    const known = this.#known;
    return known && Object.hasOwn(known, domain) ? known[domain] : undefined;
  }
}

/** Whether a service does nothing but respond: without being asked for its response it refuses. */
export function onlyResponds(service: Fields | undefined): boolean {
  const response = service?.["response"];
  return isObject(response) && response["optional"] === false;
}

/** The domains whose entities it acts on; none where it says nothing of them, undefined where it has no target. */
export function domainsOf(service: Fields | undefined): readonly string[] | undefined {
  const target = service?.["target"];
  if (!isObject(target)) return undefined;
  const entities = Array.isArray(target["entity"]) ? target["entity"].filter(isObject) : [];
  return [...new Set(entities.flatMap(({ domain }) => domain ?? []).map(String))];
}

function nothing(): undefined {
  return undefined;
}
