/** The service registry: what can be called, how it describes itself, and the order of a call. */
import { type Bus, HomeEvent } from "./bus.ts";
import type { Context } from "./context.ts";
import { ServiceFailure, serviceNotFound, wrongAboutResponse } from "./failures.ts";
import { type Data, type Fault, faultText } from "./voluptuous.ts";

export interface ServiceCall {
  readonly data: Data;
  readonly context: Context;
}

export interface Service {
  readonly description: object;
  /** A service that gives a response must be asked for it. */
  readonly responds?: boolean;
  check(data: Data): readonly Fault[];
  run(call: ServiceCall): object | undefined;
}

export interface CallOptions {
  readonly target?: Data | undefined;
  readonly wantsResponse?: boolean | undefined;
}

export class Services {
  readonly #bus: Bus;
  readonly #modern: boolean;
  readonly #domains = new Map<string, Map<string, Service>>();

  constructor(bus: Bus, modern: boolean) {
    this.#bus = bus;
    this.#modern = modern;
  }

  register(domain: string, name: string, service: Service): void {
    const services = this.#domains.get(domain) ?? new Map();
    this.#domains.set(domain, services.set(name, service));
  }

  find(domain: string, name: string): Service | undefined {
    return this.#domains.get(domain.toLowerCase())?.get(name.toLowerCase());
  }

  /** Keyed by domain, as the socket tells it; REST makes a list of it. */
  describe(): Record<string, object> {
    const domains = [...this.#domains].map(([domain, services]) => {
      const described = [...services].map(([name, { description, responds }]) => {
        return [name, responds ? { ...description, response: { optional: false } } : description];
      });
      return [domain, Object.fromEntries(described)] as const;
    });
    return Object.fromEntries(domains);
  }

  /** Everything that it changes has been told to listeners when it returns: states come before results. */
  call(domain: string, name: string, data: Data, context: Context, options: CallOptions = {}): object | undefined {
    const service = this.find(domain, name);
    if (!service) throw serviceNotFound(domain.toLowerCase(), name.toLowerCase());
    const asked = options.wantsResponse ?? false;
    if (asked !== (service.responds ?? false)) throw wrongAboutResponse(asked, this.#modern);
    const service_data = { ...data, ...options.target };
    const [fault] = service.check(service_data);
    if (fault) throw new ServiceFailure("invalid_format", faultText(fault));
    this.#bus.fire(new HomeEvent("call_service", { domain, service: name, service_data }, context));
    return service.run({ data: service_data, context });
  }
}
