/** The tool that tells what services there are: all by name, those of a domain with their fields in brief, one whole. */
import { type Language, say } from "../../messages/catalogue.ts";
import { type Fields, isFields } from "../shared/arguments.ts";
import { Refusal } from "../shared/refusal.ts";
import { printed, type Told, type Tool } from "./house.ts";
import { EVERYTHING, listed } from "./reading-tools.ts";
import { type BriefService, briefly, line, withoutDescriptions } from "./service-words.ts";
import type { ServiceTable } from "./services.ts";

/** Of what is told for programs; the text beside it has about half of that. */
const MOST_CHARACTERS = 6_000;

export const getServices: Tool = async ({ services }, { args, language, signal }) => {
  const domain = args.text("domain").toLowerCase();
  const service = args.text("service").toLowerCase();
  const all = await services.ask(signal);
  if (EVERYTHING.has(domain)) return told(namesOf(all), printed(namesOf(all)), language);
  const own = Object.hasOwn(all, domain) ? all[domain] : undefined;
  if (!own) {
    const advice = say(language, "home.domains", { names: listed(Object.keys(all)) });
    throw new Refusal(say(language, "home.unknownDomain", { domain }), advice);
  }
  return service === "" ? inBrief(domain, own, language) : whole(domain, own, service, language);
};

/** As much of it as somebody reads. */
function inBrief(domain: string, own: Fields, language: Language): Told {
  const full = mapped(own, briefly);
  const isShort = JSON.stringify(full).length <= MOST_CHARACTERS;
  const brief = isShort ? full : mapped(full, withoutDescriptions);
  const lines = Object.entries(brief).map(([name, service]) => line(`${domain}.${name}`, service, language));
  const note = isShort ? undefined : say(language, "home.servicesCut");
  return { ...told({ [domain]: brief }, lines.join("\n"), language), note };
}

function whole(domain: string, own: Fields, name: string, language: Language): Told {
  const service = Object.hasOwn(own, name) ? own[name] : undefined;
  if (!isFields(service)) {
    const advice = say(language, "home.servicesOf", { domain, names: listed(Object.keys(own)) });
    throw new Refusal(say(language, "home.unknownService", { service: `${domain}.${name}` }), advice);
  }
  const words = line(`${domain}.${name}`, briefly(service), language, true);
  return told({ [domain]: { [name]: service } }, words, language);
}

function told(services: object, json: string, language: Language): Told {
  return { text: say(language, "home.services", { json }), structured: { services } };
}

function namesOf(services: ServiceTable): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(services).map(([domain, own]) => [domain, Object.keys(own)]));
}

function mapped(
  own: Readonly<Record<string, unknown>>,
  change: (service: Fields) => BriefService,
): Readonly<Record<string, BriefService>> {
  return Object.fromEntries(
    Object.entries(own).map(([name, service]) => [name, change(isFields(service) ? service : {})]),
  );
}
