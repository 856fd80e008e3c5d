/** An MQTT broker as a kind of source. It is connected from the start, so that its devices are known before anybody asks. */
import type { KnownOffers } from "../../core/hub.ts";
import type { SourceKind } from "../source.ts";
import { type MqttConfig, type MqttOptions, optionsOf } from "./broker.ts";
import { templatesOf } from "./resources.ts";
import { toolsFor, toolsIn } from "./tools.ts";

export const mqtt: SourceKind<MqttOptions> = {
  kind: "mqtt",
  look: {
    title: { en: "MQTT broker", es: "bróker MQTT", fr: "courtier MQTT", zh: "MQTT 服务器" },
    icon: "M4 13a7 7 0 0 1 7 7M4 8a12 12 0 0 1 12 12M4 3a17 17 0 0 1 17 17M5 19h.01",
  },
  concurrency: 32,
  trusted: true,
  isEager: true,
  hasThings: true,
  // Loaded with the first broker: most hubs have none.
  connect: async (options, context, signal) => {
    const { MqttConnection } = await import("./connect.ts");
    return MqttConnection.open(options, context, signal);
  },
  translate: (tool, language) => toolsIn(language).find(({ name }) => name === tool.name) ?? tool,
  // A token may stand behind the path of a WebSocket.
  about: ({ url }) => ({ url: url.replace(/\?.*/, "") }),
};

/** An entry of the file. What a broker offers is known before it was ever seen, but for its topics. */
export function prepareMqtt(name: string, config: MqttConfig, { allowPrivate }: { readonly allowPrivate: boolean }) {
  const options = optionsOf(config, allowPrivate);
  return { kind: mqtt as SourceKind<unknown>, options, readySeconds: 15, known: offersOfBroker(name, options) };
}

export function offersOfBroker(name: string, options: MqttOptions): KnownOffers {
  const resourceTemplates = options.topics.length > 0 ? templatesOf(name, "en") : [];
  return { tools: toolsFor(options, "en"), offers: { resources: [], resourceTemplates } };
}
