/** A countdown in the caller's language. What a handler throws is told to the caller, by its message alone. */
import { addTool, string } from "zaguan/tools";

const DAY_MS = 86_400_000;

addTool({
  name: "days_until",
  description: "Tells how many days are left until a date",
  descriptions: {
    es: "Dice cuántos días faltan para una fecha",
    fr: "Dit combien de jours il reste",
    zh: "距离某日还有几天",
  },
  properties: { date: string({ description: "As in 2030-12-24" }) },
  readOnly: true,
  handler({ date }, { language }) {
    const then = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00`) : Number.NaN;
    if (Number.isNaN(then)) throw new Error(`"${date}" is no date; write it as in 2030-12-24`);
    const days = Math.round((then - new Date().setHours(0, 0, 0, 0)) / DAY_MS);
    return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(days, "day");
  },
});
