/**
 * Which headers of an API are no secrets and may be told again: those whose name says that they choose a form, a version
 * or a place of the answer, or who asks. A value under any other name may be a secret, whatever it looks like.
 */

const PLAIN = new RegExp(
  [
    ...["^accept", "^content", "^cache", "^user-agent$", "^pragma$", "^prefer$", "^referer$", "^origin$"],
    ...["^x-requested-with$", "version", "language", "locale", "region", "country", "format", "units?$", "time-?zone"],
    ...["tenant", "(?:app|client)-name$", "environment"],
  ].join("|"),
  "i",
);
const SECRET = /auth|key|token|secret|passw|cookie|credential|session|signature/i;

export function plainAmong(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => PLAIN.test(name) && !SECRET.test(name)));
}
