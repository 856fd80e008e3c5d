/** Values and places of strangers, made fit to be read: short, on one line, without control characters. */

const MAX_SHOWN = 50;
const MAX_STEPS_SHOWN = 16;

/** A value; text stands without quotes. */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
  return cut.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�");
}

/** The dotted path that a JSON pointer means in this value: `lights[0].name`; `member` is a further step. */
export function pathIn(value: unknown, pointer: string, member?: string): string {
  const steps = pointer.split("/").slice(1);
  let path = "";
  let place = value;
  for (const step of steps.slice(0, MAX_STEPS_SHOWN)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    path += Array.isArray(place) ? `[${name}]` : memberStep(path, name);
    place = (place as Readonly<Record<string, unknown>> | undefined)?.[name];
  }
  if (steps.length > MAX_STEPS_SHOWN) return `${path}…`;
  return member === undefined ? path : path + memberStep(path, member);
}

function memberStep(path: string, name: string): string {
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) return `["${shown(name)}"]`;
  return path === "" ? shown(name) : `.${shown(name)}`;
}
