/** The tool that tells what an entity was like, the newest last. */
import { say } from "../../messages/catalogue.ts";
import { Refusal } from "../shared/refusal.ts";
import { printed, type Tool } from "./house.ts";
import { known } from "./reading-tools.ts";
import { askOverHttp } from "./rest.ts";
import { MOST_HOURS } from "./tools.ts";

/** A busy sensor has thousands in a day, and nobody reads them. */
const MOST_STATES = 500;
const HOUR_MS = 3_600_000;

export const getHistory: Tool = async (house, call) => {
  const { args, language, signal } = call;
  const entity = args.neededText("entity_id");
  const hours = args.number("hours", 24, 1, MOST_HOURS);
  const answer = askOverHttp(house, { method: "GET", path: pathOf(entity, hours) }, signal).catch((cause) => {
    if (cause instanceof Refusal) known(house.states, entity, call);
    throw cause;
  });
  const all = statesIn(await answer);
  // One that nobody has ever heard of has no history either, but then that is what is wrong.
  const now = all.length === 0 ? known(house.states, entity, call).state : undefined;
  const states = all.slice(-MOST_STATES);
  const total = all.length;
  const cut = total > MOST_STATES ? `\n\n${say(language, "home.historyCut", { shown: MOST_STATES, total })}` : "";
  return {
    text: say(language, "home.history", { entity, hours, json: printed(states) }) + cut,
    structured: { entity_id: entity, hours, total, states },
    note: now === undefined ? undefined : say(language, "home.noHistory", { hours, state: now }),
  };
};

/** Home Assistant wants the beginning in the path. The end lies ahead: the house's clock may be, and it stops after a day else. */
function pathOf(entity: string, hours: number): string {
  const now = Date.now();
  const end = new Date(now + 24 * HOUR_MS).toISOString();
  const query = new URLSearchParams({ filter_entity_id: entity, end_time: end });
  const start = encodeURIComponent(new Date(now - hours * HOUR_MS).toISOString());
  return `/api/history/period/${start}?${query}&minimal_response`;
}

/** One list for each entity asked for, and none for one without a history. */
function statesIn(answer: unknown): readonly unknown[] {
  const first: unknown = Array.isArray(answer) ? answer[0] : undefined;
  return Array.isArray(first) ? first : [];
}
