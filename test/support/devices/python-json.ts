/** JSON as Python writes it unless told otherwise: blanks behind commas and colons, and nothing but ASCII. */

export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${ascii(key)}: ${pythonJson(member)}`).join(", ")}}`;
  }
  return typeof value === "string" ? ascii(value) : JSON.stringify(value ?? null);
}

function ascii(text: string): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, escaped);
}
