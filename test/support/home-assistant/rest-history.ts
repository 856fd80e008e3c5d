/** `GET /api/history/period`: the start is a part of the path, everything else of the query. */
import { type Answer, json, message } from "./answers.ts";
import { type House, TIME_ZONE } from "./house.ts";
import { now, readMoment } from "./moments.ts";
import { isEntityId } from "./states.ts";

const DAY = 86_400_000_000;

export function historyPeriod(house: House, { searchParams }: URL, startText?: string): Answer {
  const given = startText === undefined ? undefined : readMoment(startText, TIME_ZONE);
  if (startText !== undefined && given === undefined) return message("Invalid datetime", 400);
  const wanted = searchParams.get("filter_entity_id");
  if (!wanted) return message("filter_entity_id is missing", 400);
  const entityIds = wanted.trim().toLowerCase().split(",");
  if (!entityIds.every((id) => house.states.get(id) || isEntityId(id))) return message("Invalid filter_entity_id", 400);
  const start = given ?? now() - DAY;
  const endText = searchParams.get("end_time");
  const end = endText ? readMoment(endText, TIME_ZONE) : start + DAY;
  if (end === undefined) return message("Invalid end_time", 400);
  if (start > now()) return json([]);
  return json(
    house.history.full({
      entityIds,
      start,
      end,
      withStartState: !searchParams.has("skip_initial_state"),
      significantOnly: searchParams.get("significant_changes_only") !== "0",
      minimal: searchParams.has("minimal_response"),
      noAttributes: searchParams.has("no_attributes"),
    }),
  );
}
