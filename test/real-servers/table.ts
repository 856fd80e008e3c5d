/** The outcome of a run as a table that a person reads. */
import type { Failure, Meeting } from "./meeting.ts";

export interface Row {
  readonly name: string;
  readonly direct: Meeting | Failure | undefined;
  readonly hub: Meeting | Failure | undefined;
}

export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ name, direct, hub }) => [name, time(direct), time(hub), tools(hub ?? direct)]);
  return [["server", "direct s", "hub s", "tools"], ...lines].map(line).join("\n");
}

function line([name = "", ...cells]: readonly string[]): string {
  return name.padEnd(22) + cells.map((cell) => cell.padStart(10)).join("");
}

function time(met: Meeting | Failure | undefined): string {
  if (!met) return "–";
  return "offer" in met ? met.seconds.toFixed(1) : "failed";
}

function tools(met: Meeting | Failure | undefined): string {
  return met && "offer" in met ? String(met.offer.tools.length) : "–";
}
