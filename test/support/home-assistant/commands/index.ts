/** Every command of the WebSocket by its type. */
import type { Session } from "../session.ts";
import { isObject, object } from "../voluptuous.ts";
import { callServiceCommand } from "./call-service.ts";
import { answering, type Command, type CommandMessage, NO_FIELDS, required } from "./command.ts";
import { HISTORY } from "./history.ts";
import { REGISTRY } from "./registry.ts";
import { SUBSCRIPTIONS } from "./subscriptions.ts";

export type { Command, CommandMessage } from "./command.ts";
export { NO_FIELDS } from "./command.ts";

type Commands = ReadonlyMap<string, Command>;

const OLD: Commands = table(false);
const MODERN: Commands = table(true);

export function commandsOf(modern: boolean): Commands {
  return modern ? MODERN : OLD;
}

function table(modern: boolean): Commands {
  return new Map(
    Object.entries({
      ping: { fields: NO_FIELDS, run: (session, { id }) => session.put(JSON.stringify({ id, type: "pong" })) },
      supported_features: { fields: { features: required(object) }, run: supportedFeatures },
      get_states: { fields: NO_FIELDS, run: getStates },
      get_config: answering((house) => house.config()),
      get_services: answering((house) => house.services.describe()),
      call_service: callServiceCommand(modern),
      "history/history_during_period": HISTORY,
      ...SUBSCRIPTIONS,
      ...REGISTRY,
    } satisfies Record<string, Command>),
  );
}

function supportedFeatures(session: Session, { id, ...rest }: CommandMessage): void {
  if (isObject(rest["features"]) && "coalesce_messages" in rest["features"]) session.coalesce();
  session.result(id);
}

function getStates(session: Session, { id }: CommandMessage): void {
  const states = session.house.states.all().map((state) => state.text);
  session.resultText(id, `[${states.join(",")}]`);
}
