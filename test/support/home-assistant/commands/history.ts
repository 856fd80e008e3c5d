/** `history/history_during_period`. */
import { TIME_ZONE } from "../house.ts";
import { now, readMoment } from "../moments.ts";
import type { Session } from "../session.ts";
import { isEntityId } from "../states.ts";
import { flag, text, texts } from "../voluptuous.ts";
import { type Command, type CommandMessage, required } from "./command.ts";

export const HISTORY: Command = {
  fields: {
    start_time: required(text),
    end_time: text,
    entity_ids: required(texts),
    include_start_time_state: flag,
    significant_changes_only: flag,
    minimal_response: flag,
    no_attributes: flag,
  },
  run: during,
};

function during(session: Session, { id, ...rest }: CommandMessage): void {
  const start = readMoment(String(rest["start_time"]), TIME_ZONE);
  if (start === undefined) return void session.error(id, "invalid_start_time", "Invalid start_time");
  const end = rest["end_time"] ? readMoment(String(rest["end_time"]), TIME_ZONE) : undefined;
  if (rest["end_time"] && end === undefined) return void session.error(id, "invalid_end_time", "Invalid end_time");
  if (start > now()) return void session.result(id, {});
  const entityIds = [rest["entity_ids"]].flat().map(String);
  if (!entityIds.every(isEntityId)) return void session.error(id, "invalid_entity_ids", "Invalid entity_ids");
  const query = {
    entityIds,
    start,
    end,
    withStartState: rest["include_start_time_state"] !== false,
    significantOnly: rest["significant_changes_only"] !== false,
    minimal: rest["minimal_response"] === true,
    noAttributes: rest["no_attributes"] === true,
  };
  session.result(id, session.house.history.compressed(query));
}
