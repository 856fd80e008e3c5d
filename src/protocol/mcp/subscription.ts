/** What `subscriptions/listen` asks for and what comes of it. Pure. */
import { isObject } from "../../contract/rules.ts";
import { Payload } from "../json/payload.ts";
import { SUBSCRIPTION_ID, withoutMeta } from "./envelope.ts";

export const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

export interface SubscriptionFilter {
  readonly toolsListChanged?: true | undefined;
  readonly promptsListChanged?: true | undefined;
  readonly resourcesListChanged?: true | undefined;
  readonly resourceSubscriptions?: readonly string[] | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Everything that can change by what the server declared, and these resources. Undefined if that is nothing. */
export function filterFor(capabilities: Fields, uris: Iterable<string>): SubscriptionFilter | undefined {
  const resourceSubscriptions = [...uris];
  const filter: SubscriptionFilter = {
    ...(changes(capabilities["tools"]) ? { toolsListChanged: true } : {}),
    ...(changes(capabilities["prompts"]) ? { promptsListChanged: true } : {}),
    ...(changes(capabilities["resources"]) ? { resourcesListChanged: true } : {}),
    ...(resourceSubscriptions.length > 0 ? { resourceSubscriptions } : {}),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

/** What an acknowledgement grants. */
export interface Granted {
  readonly isNothing: boolean;
  /** The resources of which it will tell; undefined if it tells of none at all. */
  readonly uris: readonly unknown[] | undefined;
}

export function readAcknowledgement(params: Payload): Granted {
  const granted = fields(fields(params.value)?.["notifications"]) ?? {};
  const uris = granted["resourceSubscriptions"];
  return { isNothing: Object.keys(granted).length === 0, uris: Array.isArray(uris) ? uris : undefined };
}

/** The id of the request to which a notification belongs; undefined if it does not say. */
export function subscriptionIdIn(params: Payload): number | undefined {
  const id = fields(fields(params.value)?.["_meta"])?.[SUBSCRIPTION_ID];
  return id === undefined ? undefined : Number(id);
}

/** The params without the subscription id, which concerns only us and the server. */
export function withoutSubscriptionId(params: Payload): Payload {
  return Payload.ofText(withoutMeta(params.text, (key) => key === SUBSCRIPTION_ID));
}

function changes(capability: unknown): boolean {
  return fields(capability)?.["listChanged"] === true;
}

function fields(value: unknown): Fields | undefined {
  return isObject(value) ? value : undefined;
}
