/** Topics and filters of MQTT (MQTT 5.0, 4.7), and the URIs under which topics are resources. Pure. */
import { withHidden } from "../../protocol/text/hidden.ts";

const SCHEME = "mqtt://";
const MOST_BYTES = 65_535;

/** A name that something can be published to. */
export function isTopic(text: string): boolean {
  return isSound(text) && !/[#+]/.test(text);
}

/** `+` stands for one whole level, `#` for all that follow. */
export function isFilter(text: string): boolean {
  const levels = text.split("/");
  const isLevel = (level: string, index: number): boolean =>
    level === "+" || (level === "#" && index === levels.length - 1) || !/[#+]/.test(level);
  return isSound(text) && levels.every(isLevel);
}

/** Wildcards at the first level do not match topics that begin with `$`: those are the broker's own. */
export function matches(filter: string, topic: string): boolean {
  if (topic.startsWith("$") && !filter.startsWith("$")) return false;
  const [wanted, levels] = [filter.split("/"), topic.split("/")];
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    if (index >= levels.length || (level !== "+" && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

export function matchesAny(filters: readonly string[], topic: string): boolean {
  return filters.some((filter) => matches(filter, topic));
}

/**
 * Slashes stay, so that people can read it; but a level of dots alone would be taken for a step upwards in a path, and then
 * the slashes are encoded too.
 */
export function uriOf(source: string, topic: string): string {
  const sound = topic.toWellFormed();
  const hasDots = sound.split("/").some((level) => level === "." || level === "..");
  const path = encodeURIComponent(sound);
  return `${SCHEME}${source}/${hasDots ? path : path.replaceAll("%2F", "/")}`;
}

/** Undefined where it is no URI of this source. */
export function topicOf(source: string, uri: string): string | undefined {
  const start = `${SCHEME}${source}/`;
  if (!uri.startsWith(start)) return undefined;
  try {
    const topic = decodeURIComponent(uri.slice(start.length));
    return isTopic(topic) ? topic : undefined;
  } catch {
    return undefined;
  }
}

export function templateOf(source: string): string {
  return `${SCHEME}${source}/{+topic}`;
}

/** A text from the wire as it may be shown: on one line, of a length to read, with nothing in it that cannot be seen. */
export function shown(text: string, most: number): string {
  const line = withHidden(text.slice(0, most * 4).replace(/\s+/g, " "), () => "").trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line.toWellFormed();
}

function isSound(text: string): boolean {
  return text !== "" && !text.includes("\0") && text.isWellFormed() && Buffer.byteLength(text) <= MOST_BYTES;
}
