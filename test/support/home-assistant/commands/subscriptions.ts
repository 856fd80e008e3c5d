/** Commands that go on speaking until they are ended or the socket is. */
import { EVERY_EVENT } from "../bus.ts";
import type { Session } from "../session.ts";
import { entityIds, text, wholeNumber } from "../voluptuous.ts";
import { type Command, type CommandMessage, required } from "./command.ts";

export const SUBSCRIPTIONS: Readonly<Record<string, Command>> = {
  subscribe_events: { fields: { event_type: text }, run: subscribeEvents },
  unsubscribe_events: { fields: { subscription: required(wholeNumber) }, run: unsubscribe },
  subscribe_entities: { fields: { entity_ids: entityIds }, run: subscribeEntities },
};

/** An event is written once for all who listen; that is why its id comes last. */
function event(id: number, text: string): string {
  return `{"type":"event","event":${text},"id":${id}}`;
}

function subscribeEvents(session: Session, { id, ...rest }: CommandMessage): void {
  const type = String(rest["event_type"] ?? EVERY_EVENT);
  const stop = session.house.bus.listen(type, (happened) => session.put(event(id, happened.text)));
  session.subscriptions.set(id, stop);
  session.result(id);
}

function subscribeEntities(session: Session, { id, ...rest }: CommandMessage): void {
  const { bus, states } = session.house;
  const only = rest["entity_ids"] === undefined ? undefined : new Set([rest["entity_ids"]].flat().map(String));
  const stop = bus.onStateChange((change) => {
    if (!only?.size || only.has(change.entityId)) session.put(event(id, change.delta));
  });
  session.subscriptions.set(id, stop);
  session.result(id);
  const meant = states.all().filter((state) => !only?.size || only.has(state.entityId));
  const all = meant.map((state) => state.compressedText);
  session.put(`{"id":${id},"type":"event","event":{"a":{${all.join(",")}}}}`);
}

function unsubscribe(session: Session, { id, ...rest }: CommandMessage): void {
  const subscription = Number(rest["subscription"]);
  const stop = session.subscriptions.get(subscription);
  if (!stop) return void session.error(id, "not_found", "Subscription not found.");
  stop();
  session.subscriptions.delete(subscription);
  session.result(id);
}
