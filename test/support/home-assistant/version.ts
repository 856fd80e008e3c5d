/**
 * What differs between Home Assistants. Two were looked at closely, 2024.3.3 and the 2026.7 line; a version between them
 * is taken for the nearer one.
 */
const CHANGED_IN = [2024, 8] as const;

export const CURRENT = "2026.7.0";

/** Newer: `last_reported`, REST `?return_response`, floors and labels as targets, the plural keys of automations. */
export function isModern(version: string): boolean {
  const [year = 0, month = 0] = version.split(".").map(Number);
  return year > CHANGED_IN[0] || (year === CHANGED_IN[0] && month >= CHANGED_IN[1]);
}
