/**
 * A body written out with `{{argument}}` in it. Each value is encoded for where it stands, so that it stays a value: in
 * JSON as a whole value, or as a part of the text between two quotes.
 */
import { plainText } from "./arguments.ts";
import { percentEncode } from "./encode.ts";
import type { ApiBody } from "./operation.ts";

const PLACE = /\{\{\s*([^{}\s]+)\s*\}\}/g;

export function fillTemplate(body: ApiBody, template: string, give: (argument: string) => unknown): string {
  const write = writerFor(body);
  let isQuoted = false;
  let seen = 0;
  return template.replace(PLACE, (whole: string, argument: string, at: number) => {
    isQuoted = quotedAfter(template.slice(seen, at), isQuoted);
    seen = at + whole.length;
    return write(give(argument), isQuoted);
  });
}

type Write = (value: unknown, isQuoted: boolean) => string;

function writerFor({ kind, contentType }: ApiBody): Write {
  if (kind === "json") return jsonText;
  if (kind === "form") return (value) => percentEncode(bare(value));
  return /[/+]xml\b/i.test(contentType) ? (value) => xmlText(bare(value)) : bare;
}

/** What was not given is null, and nothing inside of a text. */
function jsonText(value: unknown, isQuoted: boolean): string {
  return isQuoted ? JSON.stringify(bare(value)).slice(1, -1) : (JSON.stringify(value) ?? "null");
}

function bare(value: unknown): string {
  return value === undefined || value === null ? "" : plainText(value);
}

function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Whether a JSON text is inside of a string after these characters. */
function quotedAfter(text: string, before: boolean): boolean {
  let isQuoted = before;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') isQuoted = !isQuoted;
    else if (text[i] === "\\" && isQuoted) i++;
  }
  return isQuoted;
}
