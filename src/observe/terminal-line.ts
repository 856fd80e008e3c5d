/** A log line for a person at a terminal: `HH:MM:SS level message key=value…`, free of anything that steers a terminal. */

/** Control characters, and those that turn the direction of writing. */
const STEERING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** From a JSON line of our own log. */
export function terminalLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`);
  return `${clock(String(time))} ${String(level).padEnd(5)} ${escaped(`${msg ?? ""}${pairs.join("")}`)}\n`;
}

function clock(utc: string): string {
  const date = new Date(utc);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

function shown(value: unknown): string {
  if (typeof value === "string" && /^[^\s"=]+$/.test(value)) return value;
  return JSON.stringify(value, withoutStack);
}

/** Stack traces are for the JSON log: at a terminal the message must not drown. */
function withoutStack(name: string, value: unknown): unknown {
  return name === "stack" ? undefined : value;
}

function escaped(text: string): string {
  return text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
