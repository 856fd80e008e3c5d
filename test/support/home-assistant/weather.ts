/** A service that answers: the forecasts of the demo weather, daily only. */
import { ServiceFailure } from "./failures.ts";
import { now, written } from "./moments.ts";

const DAY = 86_400_000_000;
const DAILY = [
  ["rainy", 1, 22, 15, 60],
  ["rainy", 5, 19, 8, 30],
  ["cloudy", 0, 15, 9, 10],
  ["sunny", 0, 12, 6, 0],
  ["partlycloudy", 2, 14, 7, 20],
  ["rainy", 15, 18, 7, 0],
  ["fog", 0.2, 21, 12, 100],
] as const;

export function forecasts(entityIds: readonly string[], type: unknown): object {
  if (entityIds.length === 0) {
    const words = "Service call requested response data but did not match any entities";
    throw new ServiceFailure("home_assistant_error", words);
  }
  return Object.fromEntries(entityIds.map((id) => [id, { forecast: forecastOf(id, type) }]));
}

function forecastOf(id: string, type: unknown): object[] {
  if (type !== "daily") {
    throw new ServiceFailure("home_assistant_error", `Weather entity '${id}' does not support '${type}' forecast`);
  }
  const today = now();
  return DAILY.map(([condition, precipitation, temperature, templow, precipitation_probability], day) => {
    const datetime = written(today + day * DAY);
    return { datetime, condition, precipitation, temperature, templow, precipitation_probability };
  });
}
